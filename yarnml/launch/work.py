"""Work: what one worker of a job does, wherever it was started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from yarnml.app import App, Worker, execute
from yarnml.comm.company import Company
from yarnml.job import Job
from yarnml.ps import Tables, TableSpec

Connect = Callable[[Sequence[TableSpec]], Tables]


def work(job: Job, app: App, index: int, company: Company, connect: Connect) -> dict[str, Any]:
    """Run the app as worker `index`; `connect` leads to the run's tables."""
    return execute(Worker(app, job, index, connect(tables(job, app)), company))


def tables(job: Job, app: App) -> list[TableSpec]:
    """The run's tables. Every process builds them again from the job, so that none is sent a foreign object."""
    if app.tables is None or job.train is None:
        return []
    return app.specs(app.config(job.config), job.train.dataset.schema)
