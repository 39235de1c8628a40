"""A sender: what it takes to have the cluster do a job: the masters that answer, Skein, the environment, the wishes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from hdfs_io.errand import Errand
from yarnml.comm.outcome import Outcome
from yarnml.job import Job
from yarnml.launch import Handle, env
from yarnml.launch.yarn import launcher
from yarnml.launch.yarn.application import Applications, Submitted
from yarnml.launch.yarn.homes import Home, homes_of
from yarnml.launch.yarn.site import Site
from yarnml.monitor.terminal import View
from yarnml.request import OnYarn
from yarnml.runs import RunDir

ABANDON = 90.0  # seconds for an application to heed that it is to end


@final
@dataclass(frozen=True)
class Sender:
    """Sends jobs, and follows what it has sent."""

    site: Site
    wish: OnYarn
    applications: Applications
    plan: Callable[[], env.Plan]  # of the environment, once it is made
    view: View

    def send(self, job: Job, directory: RunDir, homes: list[Home]) -> Submitted:
        """Send what is missing, and submit; if that can't be, the run is written down as failed."""
        try:
            submitted = launcher.submit(self.site, self.applications, job, self.wish, self.plan(), homes, self.view.say)
        except BaseException as error:
            directory.end("failed", message=f"could not be submitted: {error}")
            launcher.clean(self.site, directory)
            raise
        directory.submitted(submitted.name)
        return submitted

    def follow(self, directory: RunDir, submitted: Submitted) -> Handle:
        """The run, to wait for or to end."""
        grace = Job.from_record(directory.record().job).respite
        following = launcher.Following(self.site, directory, submitted, self.view, grace)
        return Handle(lambda handle: following.outcome(handle.wish), deadline=None, abandon=ABANDON + grace)

    def survey(self, job: Job, errand: Errand) -> Outcome:
        """Send a job that surveys data, whose app is ours and no private one, and wait for its end, however it is."""
        mine = replace(self, plan=lambda: replace(self.plan(), app=None))
        directory = RunDir(job.url)
        submitted = handle = None
        try:
            submitted = mine.send(job, directory, homes_of(errand, job.workers))
            handle = self.follow(directory, submitted)
            return handle.wait()
        except BaseException:  # SIGTERM is heard at any moment
            if submitted is not None:
                handle = handle or self.follow(directory, submitted)
                handle.kill()
                handle.wait()
            raise
