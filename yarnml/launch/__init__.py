"""Starting a job: in this process, as processes of this machine, or on a cluster, with the same app code."""

from yarnml.comm.effects import Report
from yarnml.comm.outcome import Outcome
from yarnml.job import Job
from yarnml.launch.handle import Handle
from yarnml.launch.inline import InlineLauncher
from yarnml.launch.launcher import Launcher
from yarnml.launch.local import LocalLauncher

__all__ = ["Handle", "InlineLauncher", "Launcher", "LocalLauncher", "Outcome", "Report", "launcher"]


def launcher(job: Job) -> Launcher:
    """The fastest way to run a job on this machine."""
    return InlineLauncher() if job.workers == 1 and job.servers == 1 else LocalLauncher()
