"""Work: what one worker of a job does, wherever it was started."""

from __future__ import annotations

from typing import Any

from yarnml.app import Worker, execute
from yarnml.comm.company import Company
from yarnml.comm.plain import plain_result
from yarnml.launch.plan import Plan
from yarnml.ps import Tables


def work(plan: Plan, index: int, company: Company, tables: Tables) -> dict[str, Any]:
    """Run the app as worker `index`. Raises UsageError if what it returns can't be kept as JSON."""
    results: dict[str, Any] = plain_result(execute(Worker(plan.app, plan.job, index, tables, company)))
    return results
