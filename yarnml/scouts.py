"""Scouts: workers of a cluster that look through a large data set for who has no run to start."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import final

from hdfs_io.errand import Errand, Looked
from hdfs_io.store import is_here
from yarnml.errors import DataError, UsageError
from yarnml.launch import env
from yarnml.launch.yarn import launcher
from yarnml.launch.yarn.application import Applications
from yarnml.launch.yarn.site import Site, adopt
from yarnml.monitor.terminal import View
from yarnml.request import OnYarn, Running
from yarnml.sender import Sender
from yarnml.survey import PAYS, ByWorkers


@final
@dataclass(frozen=True)
class Scouts:
    """A surveyor: asks for a cluster only once there is data that is worth it."""

    wish: OnYarn  # its `scan` says who is to look
    workers: int
    view: View
    pays: int = PAYS

    def __call__(self, errand: Errand) -> list[Looked] | None:
        """None: threads of here are to do it, as they were asked to, the data is small or here, or no cluster answers.

        Asked for the cluster: UsageError where it can't do it.
        """
        who = self.wish.scan
        if who == "here" or (who == "auto" and errand.reads < self.pays):
            return None
        try:
            _refuse_here(errand)
            site = self._site()
        except (UsageError, DataError) as error:  # DataError says that HDFS doesn't answer
            if who == "cluster":
                raise
            self.view.say(f"scan     on this machine: {error}")
            return None
        return self._surveyed(site, errand)

    def _site(self) -> Site:
        note = adopt()
        if note:
            self.view.say(note)
        site = Site.find()
        launcher.refuse(site, self.wish, self.workers, 0)
        return site

    def _surveyed(self, site: Site, errand: Errand) -> list[Looked] | None:
        with Applications() as applications, ThreadPoolExecutor(1) as pool:
            plan = pool.submit(env.plan, env.Wish(env=self.wish.env))
            sender = Sender(site, self.wish, applications, plan.result, self.view)
            by_workers = ByWorkers(
                who="cluster", running=Running(workers=self.workers), runs=site.runs, threads=self.wish.worker_vcores,
                start=sender.survey, say=self.view.say,
            )  # fmt: skip
            return by_workers(errand)


def _refuse_here(errand: Errand) -> None:
    if any(is_here(portion.piece.file) for portion in errand.portions):
        raise UsageError(
            "the data is on this machine, where containers can't reach it; copy it: yarnml data copy SRC hdfs:///..."
        )
