"""Passes over the rows: how many clocks one has, which of them runs, and which made the best model, by --valid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, final

from yarnml.app.patience import Patience
from yarnml.errors import UsageError
from yarnml.model import Model


@final
class Passes:
    """Pure: it does what it is told of, the same on all workers."""

    def __init__(self) -> None:
        self.epoch = 0  # the one that runs
        self.steps: int | None = None  # clocks of each, where there are batches
        self.best: Model | None = None  # scored on --valid
        self.best_pass: int | None = None  # the one that made it, from 1
        self._begun = 1  # passes, of work that takes no batches
        self._watch = Patience(0)

    def begin(self, steps: int, now: int, end: int, patience: int, *, resumed: bool) -> None:
        """They begin, or go on at clock `now`, and end at clock `end`.

        UsageError where one was of other clocks before, or the end has been, in a run that was `resumed`.
        """
        if self.steps not in (None, steps):
            raise UsageError(
                f"a pass has {steps:,} clocks now, and had {self.steps:,} when the checkpoint was made: resume with "
                "the same rows a clock (--batch), or start anew"
            )
        if resumed and now > end:
            raise UsageError(
                f"the checkpoint is at clock {now:,}, and {end // steps:,} passes end at clock {end:,}: resume "
                "with more (--epochs), or start anew"
            )
        self.steps, self._watch.limit = steps, patience

    def over(self, epoch: int, patience: int) -> None:
        """Pass `epoch`, from 0, of work that takes no batches has ended."""
        self.epoch, self._begun, self._watch.limit = epoch, epoch + 2, patience

    def scored(self, model: Model, metrics: Mapping[str, float], name: str) -> str:
        """Take in the metrics on --valid of a pass that has ended, of which `name` is to fall.

        Returns why training is to stop, "" if it isn't. UsageError if that metric isn't there.
        """
        if name not in metrics:
            raise UsageError(
                f"--valid: none of its rows has a {name} to stop by, as rows of weight 0 and documents of one word or "
                "none have not: name others, or leave it out"
            )
        watch = self._watch
        if watch.better(metrics[name]):
            self.best, self.best_pass = replace(model, metrics={"valid": dict(metrics)}), watch.best_pass
        if not watch.over:
            return ""
        return f"stopped after pass {self.epoch + 1}: no gain since pass {watch.best_pass} ({name} {watch.best:.4g})"

    def to_json(self, now: int) -> dict[str, Any]:
        """What is known at clock `now`, but for the best model's arrays."""
        begun = -(-now // self.steps) if self.steps else self._begun
        best = {} if self.best is None else dict(self.best.metrics)
        return {
            "watch": self._watch.to_json(), "best_pass": self.best_pass, "steps": self.steps, "begun": begun,
            "best": best,
        }  # fmt: skip

    def restore(self, known: Mapping[str, Any], best: Model | None) -> None:
        """Go on with what another has known; `best`: its best model, without metrics."""
        self._watch.restore(known["watch"])
        self.steps, self._begun, self.best_pass = known.get("steps"), known.get("begun", 1), known["best_pass"]
        self.best = None if best is None else replace(best, metrics=known["best"])
