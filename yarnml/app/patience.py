"""Patience: when training has stopped paying, by the metric of held-out rows after each pass. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import final


@final
class Patience:
    """Sees one number a pass, lower is better, and says when `limit` passes in a row have brought nothing."""

    def __init__(self, limit: int) -> None:
        self.best = math.inf
        self.spent = 0
        self.best_pass = 0  # from 1; 0 before the first gain
        self._passes = 0
        self.limit = limit

    def better(self, value: float) -> bool:
        """Take in the number of one more pass; whether it is the best so far."""
        self._passes += 1
        if value < self.best:
            self.best, self.spent, self.best_pass = value, 0, self._passes
            return True
        self.spent += 1
        return False

    def to_json(self) -> dict[str, float]:
        """What it has seen."""
        return {"best": self.best, "spent": self.spent, "best_pass": self.best_pass, "passes": self._passes}

    def restore(self, seen: Mapping[str, float]) -> None:
        """Go on after what another has seen."""
        self.best, self.spent, self.best_pass = seen["best"], int(seen["spent"]), int(seen["best_pass"])
        self._passes = int(seen["passes"])

    @property
    def over(self) -> bool:
        return self.spent >= self.limit
