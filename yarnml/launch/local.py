"""Local: a run's processes on this machine, driven by a thread of this one through its scheduler."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import final

from yarnml.comm.effects import Report, Say, Setback
from yarnml.comm.outcome import Outcome
from yarnml.comm.retries import Retries
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.launch.fault import quoting
from yarnml.launch.handle import Handle
from yarnml.launch.launcher import Launcher, OnNews, OnReport, unheard
from yarnml.launch.pipe import News, line, parsed
from yarnml.launch.place import Place, place
from yarnml.launch.process import RoleProcess, end, python
from yarnml.launch.recovery import recovery

LOOK = 0.05  # seconds
PART = 5.0  # seconds for the scheduler to end after its last word
SCHEDULER = Seat("scheduler", 0)


@final
class LocalLauncher(Launcher):
    """Every process has a log of its own; the first to fail for good is named, with its last words."""

    def start(self, job: Job, on_report: OnReport, on_news: OnNews = unheard) -> Handle:
        return Handle(lambda handle: _drive(job, on_report, on_news, handle), deadline=job.deadline)


def _drive(job: Job, on_report: OnReport, on_news: OnNews, handle: Handle) -> Outcome:
    handle.abandon += job.respite
    with place(job) as here:
        return _Driver(job, here, on_report, on_news, handle).drive()


@final
class _Driver:
    """Starts the scheduler, and starts it anew when it dies."""

    def __init__(self, job: Job, here: Place, on_report: OnReport, on_news: OnNews, handle: Handle) -> None:
        self._job, self._here, self._handle = job, here, handle
        self._on_report, self._on_news = on_report, on_news
        self._retries = Retries(job.retries)
        self._generation = 0
        self._restarts = 0
        self._clocks: dict[int, float] = {}
        self._asleep = ""  # how the scheduler ended that was ended here

    def drive(self) -> Outcome:
        while True:
            process = self._start()
            try:
                said = self._follow(process)
            finally:
                end([process], grace=0.0 if said is None else PART)
            outcome = said or self._after(process)
            if outcome is not None:
                return self._whole(outcome)

    def _start(self) -> RoleProcess:
        """From the thread that outlives it."""
        command = python("yarnml.launch.scheduling", job=self._here.job, generation=self._generation)
        return RoleProcess(SCHEDULER, command, log=self._here.log(SCHEDULER), threads=1, pipe=True)

    def _follow(self, process: RoleProcess) -> Outcome | None:
        """Pass on what the scheduler says, until its last word; None if it ends or is stopped before that."""
        wished, rest = None, b""
        while (said := process.said(LOOK)) != b"":
            if (wish := self._handle.wish()) is not None and wish != wished:
                wished = wish
                process.tell(line(wish))
            *lines, rest = (rest + (said or b"")).split(b"\n")
            for text in lines:
                news: News = parsed(text.decode())
                if isinstance(news, Outcome):
                    return news
                self._heed(news)
            if process.stopped() >= self._job.silence:
                self._asleep = f"(pid {process.pid}) was silent for {self._job.silence:g} s: stopped, by SIGSTOP or so"
                return None
        return None

    def _heed(self, news: Report | Say | Setback) -> None:
        if not isinstance(news, Report):
            self._generation = max(self._generation, getattr(news, "generation", 0))
            self._on_news(news)
            return
        self._on_report(news)
        if news.role == "worker" and "clock" in news.numbers:
            self._clocks[news.worker] = news.numbers["clock"]
            if len(self._clocks) == self._job.workers:
                self._retries.seen(self._slowest, time.monotonic())

    def _after(self, process: RoleProcess) -> Outcome | None:
        """The scheduler is dead: None if it may be started anew."""
        wish = self._handle.wish()
        if wish is not None:
            return Outcome(wish.state, wish.reason)
        said = f"the scheduler {self._asleep or process.exited()}"
        self._asleep = ""
        if not self._retries.allow(self._slowest, time.monotonic()):
            message = said + (f"; {self._restarts} restarts brought the run no further" if self._restarts else "")
            return Outcome("failed", quoting(message, process.words(), str(process.log)), SCHEDULER)
        self._restarts += 1
        self._generation += 1
        self._clocks.clear()
        self._on_news(Setback(self._generation, recovery(self._job, self._generation).point.clock, said))
        return None

    @property
    def _slowest(self) -> int:
        return int(min(self._clocks.values(), default=0))

    def _whole(self, outcome: Outcome) -> Outcome:
        """With the scheduler's own restarts, which the later ones know nothing of."""
        if not self._restarts or not outcome.ok:
            return outcome
        result = outcome.result or {}
        return replace(outcome, result={**result, "restarts": result.get("restarts", 0) + self._restarts})
