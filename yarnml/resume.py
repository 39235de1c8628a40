"""Resuming: what an earlier run was asked to do, and its last checkpoint, for a run that goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, final

from yarnml import checkpoints
from yarnml.app import App
from yarnml.changes import Changes
from yarnml.config import hints, typed
from yarnml.errors import DataError, UsageError
from yarnml.job import Job, Part
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
    clock: int  # of the tables

    @classmethod
    def find(cls, name: str, runs: str | None, app: App, say: Callable[[str], None] = lambda _: None) -> Self:
        """The run of that id or URL, or that of one of its checkpoints.

        UsageError if there is nothing of it that `app` could go on with, DataError if all that there is is broken;
        `say` hears of what is.
        """
        name, checkpoint = checkpoints.parted(name)
        run = find_run(runs or default_runs(), name)
        record = run.record()
        if record.state == "running":
            raise UsageError(f"--resume {run.id}: is still running; `yarnml kill {run.id}` ends it")
        if record.app != app.ref:
            raise UsageError(f"--resume {run.id}: is a run of {record.app}, not of {app.ref}")
        try:
            job = Job.from_record(record.job)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{run.url}/run.json: doesn't say what the run was asked: {error!r}") from error
        if checkpoint:
            return cls(job, checkpoint, checkpoints.opened(checkpoint, deep=True).clock)
        broken: list[str] = []
        found = checkpoints.latest(run.url, broken.append, deep=True)
        if found is None and broken:
            raise DataError(f"--resume {run.id}: none of its checkpoints is whole: {'; '.join(broken)}")
        if found is None:
            raise UsageError(
                f"--resume {run.id}: it left no checkpoint, of which there is one each --checkpoint-every seconds, if "
                "the app's work can go on in its middle; start it anew"
            )
        for why in broken:
            say(f"resume   from an older checkpoint: {why}")
        return cls(job, found[0], found[1].clock)

    def refuse(self, app: App, job: Job) -> None:
        """Raise UsageError for a job of `app` that can't go on with it."""
        Changes(app, self.job, job).refuse(self.checkpoint, self.clock)

    def parts(self) -> Mapping[str, Part | None]:
        """Its data, which needn't be scanned again."""
        return {"train": self.job.train, "valid": self.job.valid, "test": self.job.test}

    @property
    def options(self) -> dict[str, Any]:
        """What it was asked beside its data: what is said anew beats these."""
        running = {name: getattr(self.job, name) for name in hints(Running) if hasattr(self.job, name)}
        return {**self.job.config, **{name: value for name, value in running.items() if name not in ANEW}}

    def told(self, app: App, options: Mapping[str, Any]) -> str:
        """One line: where a run with `options` goes on, what it inherits beside defaults, and what is said anew."""
        mine = {field.name: field.default for group in (app.Config, Running) for field in fields(group)}
        names = [name for name in mine if name not in TACIT + ANEW]
        new = [typed(name, options[name]) for name in names if name in options]
        old = {name: typed(name, value) for name, value in self.options.items() if name in names}
        kept = [said for name, said in old.items() if name not in options and said != typed(name, mine[name])]
        where = f"resume   goes on from {self.job.run}'s checkpoint at clock {self.job.clock_of(self.clock):,}"
        return where + (f", with {' '.join(kept)} as there" if kept else "") + (f"; now {' '.join(new)}" if new else "")
