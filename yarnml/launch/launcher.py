"""A launcher: starts a job's processes somewhere, and sees to it that they end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from yarnml.comm.effects import Report, Say, Setback
from yarnml.job import Job
from yarnml.launch.handle import Handle

OnReport = Callable[[Report], None]
OnNews = Callable[[Say | Setback], None]


def unheard(_: Say | Setback) -> None:
    """Nobody wants to know."""


class Launcher(ABC):
    """In this process, on this machine, on a cluster: an app can't tell."""

    @abstractmethod
    def start(self, job: Job, on_report: OnReport, on_news: OnNews = unheard) -> Handle:
        """Start the job and return at once. `on_report` gets progress numbers, `on_news` what happens to processes.

        Both are called in a thread that isn't the caller's.
        """
