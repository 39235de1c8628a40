"""Inline: a run of one worker as a thread of this process, its tables in memory. Fastest on one machine."""

from __future__ import annotations

from contextlib import suppress
from typing import final

from hdfs_io import DataError, join, write_text
from yarnml.app import Start
from yarnml.comm.company import Alone
from yarnml.comm.effects import Report, Say
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.errors import Stopped
from yarnml.job import Job
from yarnml.kernels.compiling import told
from yarnml.launch.fault import quoting, short, whole
from yarnml.launch.handle import Handle
from yarnml.launch.launcher import Launcher, OnNews, OnReport, unheard
from yarnml.launch.lone import Lone
from yarnml.launch.plan import Plan
from yarnml.launch.work import given, work
from yarnml.ps import local_client

WORKER = Seat("worker", 0)
SLACK = 5.0  # seconds for a run to end that has no more to keep


@final
class InlineLauncher(Launcher):
    """Heeds a wish to stop once a clock: then takes a last checkpoint."""

    def start(self, job: Job, on_report: OnReport, on_news: OnNews = unheard) -> Handle:
        return Handle(lambda handle: _drive(job, on_report, on_news, handle), deadline=job.deadline)


def _drive(job: Job, on_report: OnReport, on_news: OnNews, handle: Handle) -> Outcome:
    lone = Lone(job, on_news)

    def check() -> bool:
        handle.abandon = job.respite + SLACK  # from now on there is something to keep
        wish = handle.wish()
        if wish is not None and (wish.at_once or lone.ends(company.clock_now)):
            raise Stopped(wish.reason)
        return wish is not None

    company = Alone(lambda numbers: on_report(Report(0, numbers)), check, lone.mark, lone.marked)
    try:
        plan = Plan.of(job)
        start = Start(0, job.resume_clock, job.resume)
        tables = local_client(
            plan.tables, seed=job.seed, company=company, checkpoint=job.resume, clock=start.clock, given=given(plan)
        )
        with told(lambda text: on_news(Say(text))):
            result = work(plan, 0, company, tables, start)
    except BaseException as error:  # noqa: BLE001 (an app may raise anything, SystemExit too)
        wish = handle.wish()
        if isinstance(error, Stopped) and wish is not None:
            return Outcome(wish.state, wish.reason)
        return _failed(job, error)
    return Outcome("succeeded", result=result)


def _failed(job: Job, error: BaseException) -> Outcome:
    log = join(job.url, f"logs/{WORKER.slug}.log")
    with suppress(DataError, OSError):  # the run's error says more than one of its log
        write_text(log, whole(error) + "\n")
    return Outcome("failed", quoting(f"{WORKER}: {short(error)}", whole(error), log), WORKER)
