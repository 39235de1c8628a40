"""Work: what one worker of a job does, wherever it was started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from yarnml.app import BEGINNING, Loaded, Start, Worker, execute
from yarnml.comm.company import Company
from yarnml.comm.plain import plain_result
from yarnml.job import Job
from yarnml.launch.plan import Plan
from yarnml.model import load_model
from yarnml.ps import Tables
from yarnml.ps.managed import Managed


def work(
    plan: Plan, index: int, company: Company, tables: Tables, start: Start = BEGINNING, loaded: Loaded | None = None
) -> dict[str, Any]:
    """Run the app as worker `index`, on what is `loaded` already.

    Raises UsageError if what it returns can't be kept as JSON.
    """
    me = Worker(plan.app, plan.job, index, tables, company, start, loaded)
    if plan.job.bandwidth is not None:
        me.note("what was sent when depended on time (--bandwidth): another run gives a model that differs a little")
    results: dict[str, Any] = plain_result(execute(me))
    return results


def managed(job: Job) -> Managed | None:
    """How its processes send, if not each clock's increments as it ends."""
    return None if job.bandwidth is None else Managed(bandwidth=job.bandwidth, order=job.order)


def given(plan: Plan) -> Mapping[str, NDArray[Any]] | None:
    """What tables begin with, by their names, where that isn't as the app says, nor its work's own doing."""
    url = plan.job.start_from
    return None if url is None or plan.app.check_start is not None else load_model(url)[0].arrays
