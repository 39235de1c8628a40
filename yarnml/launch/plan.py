"""A plan: what a process makes of the job, the app and its tables, to be compared with what the others make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, final

from yarnml.app import App, load_app
from yarnml.job import Job
from yarnml.ps import TableSpec


@final
@dataclass(frozen=True)
class Plan:
    """Made once in each process, so that none is sent a foreign object; if it differs there, so may the tables."""

    job: Job
    app: App
    tables: Sequence[TableSpec]

    @classmethod
    def of(cls, job: Job) -> Plan:
        """Load the app; raises whatever it does."""
        app = load_app(job.app)
        if app.tables is None or job.train is None:
            return cls(job, app, ())
        return cls(job, app, app.specs(app.config(job.config), job.train.dataset.schema))

    def __str__(self) -> str:
        """A line for each setting and table."""
        config = self.app.config(self.job.config)
        settings = [f"config {f.name} = {_said(getattr(config, f.name))}" for f in fields(config)]
        return "\n".join([*settings, *(f"table {_said(spec)}" for spec in self.tables)])


def _said(value: Any) -> str:
    """By value where that is the same text in every process, else by type."""
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_said, value))})"
    inner = [f"{f.name}={_said(getattr(value, f.name))}" for f in fields(value)] if is_dataclass(value) else []
    return f"{type(value).__qualname__}({', '.join(inner)})"
