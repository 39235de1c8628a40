"""Changes: what a run that goes on is asked otherwise than the run before, and which of that its checkpoint forbids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from yarnml.app import App
from yarnml.app.kept import Part, read, refuse_other_workers
from yarnml.app.splits import steals
from yarnml.config import config_to_dict, typed
from yarnml.errors import UsageError
from yarnml.job import Job
from yarnml.ps.checkpoint.files import Saved


@final
@dataclass(frozen=True)
class Changes:
    """From the job `was` to the job `now`, both of `app`."""

    app: App
    was: Job
    now: Job

    def refuse(self, checkpoint: str, clock: int) -> None:
        """Raise UsageError for one that `was`'s checkpoint, at this clock of the tables, can't go on with.

        Without data in `now`, what depends on data isn't looked at. DataError if the checkpoint is broken.
        """
        kept = read(checkpoint, 0, arrays=False)
        refuse_other_workers(kept, self.now.workers)
        if fixed := [name for name in self._config if name in self.app.fixed]:
            now, was = self._said(fixed)
            raise UsageError(f"{now}: {self.app.name} can be resumed only with what it began with: {was}")
        self._refuse_past(kept.frame.get("begun", 0), self.was.clock_of(clock))
        if self.now.train is not None:
            self._refuse_other_rows()
            self._refuse_other_shares(kept)
            self._refuse_other_tables(Saved(checkpoint, clock))

    @cached_property
    def _config(self) -> Mapping[str, tuple[Any, Any]]:
        """Of each of the app's own flags that is another: what it was, and is."""
        was, now = (config_to_dict(self.app.config(job.config)) for job in (self.was, self.now))
        return {name: (was[name], now[name]) for name in was if was[name] != now[name]}

    def _said(self, names: Iterable[str]) -> tuple[str, str]:
        """These flags as they are now, and as they were."""
        were, are = zip(*(self._config[name] for name in names), strict=True)
        now, was = (" ".join(map(typed, names, values)) for values in (are, were))
        return now, was

    def _refuse_past(self, begun: int, clock: int) -> None:
        """Of `epochs`, by which apps call their passes: fewer than were begun."""
        _, epochs = self._config.get("epochs", (None, None))
        if isinstance(epochs, int) and begun > epochs:
            raise UsageError(
                f"--epochs {epochs}: the checkpoint is at clock {clock:,}, in pass {begun:,}: resume with more, or "
                "start anew"
            )

    def _refuse_other_rows(self) -> None:
        were, are = (0 if job.train is None else job.train.rows for job in (self.was, self.now))
        if were != are:
            raise UsageError(
                f"--resume: the checkpoint is of {were:,} training rows, and now there are {are:,}: go on with the "
                "same data, or start anew, with --start-from from a model"
            )

    def _refuse_other_shares(self, kept: Part) -> None:
        """Whose rows are whose is what the first pass has found (--steal), or the data's cut."""
        stole, steal, same = steals(self.was), steals(self.now), self.was.workers == self.now.workers
        if same and stole != steal:
            did = "took rows of each other" if stole else "read the rows that were theirs"
            raise UsageError(
                f"--resume: its workers {did}, and would have other rows now: go on with its --steal and --data-memory"
            )
        if not same and (stole or steal) and "rows" in kept.by.values():
            raise UsageError(
                f"--workers {self.now.workers}: with --steal what the app keeps of each row stays with its worker: "
                f"resume with --workers {self.was.workers}"
            )

    def _refuse_other_tables(self, saved: Saved) -> None:
        """By the flags that do it, each of them alone, where it isn't the data."""
        why = self._why_not(saved, self.now.config)
        if not why:
            return
        guilty = [
            name for name, (_, now) in self._config.items() if self._why_not(saved, {**self.was.config, name: now})
        ]
        if not guilty:
            raise UsageError(f"--resume: {why}")
        now, was = self._said(guilty)
        raise UsageError(f"{now}: {why}: {was}")

    def _why_not(self, saved: Saved, config: Mapping[str, Any]) -> str:
        """Why tables of this config can't begin with what is saved; "" if they can."""
        assert self.now.train is not None
        try:
            saved.refuse(self.app.specs(self.app.config(config), self.now.train.dataset.schema))
        except UsageError as error:
            return str(error)
        return ""
