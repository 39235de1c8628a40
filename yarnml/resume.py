"""Resuming: what an earlier run was asked to do, and its last checkpoint, for a run that goes on from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, final

from yarnml import checkpoints
from yarnml.app import App
from yarnml.config import flag, hints
from yarnml.errors import UsageError
from yarnml.job import Job
from yarnml.request import Running
from yarnml.runs import default_runs, find_run

TACIT = ("runs", "threads")  # inherited or found anew, and nothing that a user chose
ANEW = ("resume", "start_from", "data_memory", "bandwidth")  # said of the run itself, or kept in another unit


@final
@dataclass(frozen=True)
class Earlier:
    """A run that has ended, however it did."""

    job: Job
    checkpoint: str  # URL
    clock: int

    @classmethod
    def find(cls, name: str, runs: str | None, app: App) -> Self:
        """The run of that id or URL. UsageError if there is nothing of it that `app` could go on with."""
        run = find_run(runs or default_runs(), name)
        record = run.record()
        if record.state == "running":
            raise UsageError(f"--resume {run.id}: is still running; `yarnml kill {run.id}` ends it")
        if record.app != app.ref:
            raise UsageError(f"--resume {run.id}: is a run of {record.app}, not of {app.ref}")
        found = checkpoints.latest(run.url)
        if found is None:
            raise UsageError(
                f"--resume {run.id}: it left no checkpoint, of which there is one each --checkpoint-every seconds; "
                "start it anew"
            )
        return cls(Job.from_record(record.job), found[0], found[1].clock)

    @property
    def options(self) -> dict[str, Any]:
        """What it was asked beside its data: what is said anew beats these."""
        running = {name: getattr(self.job, name) for name in hints(Running) if hasattr(self.job, name)}
        return {**self.job.config, **{name: value for name, value in running.items() if name not in ANEW}}

    def told(self, app: App, options: Mapping[str, Any]) -> str:
        """One line: where a run with `options` goes on, what it inherits beside defaults, and what is said anew."""
        mine = {field.name: field.default for group in (app.Config, Running) for field in fields(group)}
        names = [name for name in mine if name not in TACIT + ANEW]
        new = [_typed(name, options[name]) for name in names if name in options]
        old = {name: _typed(name, value) for name, value in self.options.items() if name in names}
        kept = [said for name, said in old.items() if name not in options and said != _typed(name, mine[name])]
        where = f"resume   goes on from {self.job.run}'s checkpoint at clock {self.clock:,}"
        return where + (f", with {' '.join(kept)} as there" if kept else "") + (f"; now {' '.join(new)}" if new else "")


def _typed(name: str, value: Any) -> str:
    """A flag and its value, as they would be typed."""
    if isinstance(value, bool):
        return flag(name) if value else f"{flag(name)} false"
    if isinstance(value, list | tuple):
        return " ".join([flag(name), *map(str, value)])
    return f"{flag(name)} {'none' if value is None else value}"
