"""Retries: how often a run may be brought back after a death that holds it up (pure)."""

from __future__ import annotations

from typing import final

SURE = 1.0  # seconds beyond the clock of the last fault after which the run has got over it: reports lag behind clocks


@final
class Retries:
    """Counts faults; anew once the slowest worker has passed the clock where the last one happened."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._furthest = -1  # the slowest clock at the last fault
        self._passed: float | None = None  # since when, on the caller's clock, the run is beyond it
        self.spent = 0

    def seen(self, slowest: int, now: float) -> None:
        """So far has the slowest worker come."""
        if slowest > self._furthest and self._passed is None:
            self._passed = now

    def allow(self, slowest: int, now: float) -> bool:
        """Take note of a fault; whether the run may be brought back once more."""
        if self._passed is not None and now - self._passed >= SURE:
            self.spent = 0
        self._passed = None
        self._furthest = max(self._furthest, slowest)
        if self.spent >= self._limit:
            return False
        self.spent += 1
        return True
