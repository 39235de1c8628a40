"""A launcher: starts a job's processes somewhere, and sees to it that they end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from yarnml.comm.effects import Report
from yarnml.job import Job
from yarnml.launch.handle import Handle

OnReport = Callable[[Report], None]


class Launcher(ABC):
    """In this process, on this machine, on a cluster: an app can't tell."""

    @abstractmethod
    def start(self, job: Job, on_report: OnReport) -> Handle:
        """Start the job and return at once. `on_report` gets progress numbers, in a thread that isn't the caller's."""
