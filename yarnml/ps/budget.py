"""A budget: how many bytes a process may send in a while."""

from __future__ import annotations

from typing import final

BURST = 1.0  # s of what was not sent that can be made up for


@final
class Budget:
    """`rate` bytes a second, counted from `now` (s) on. What must be sent goes into debt, and is paid by waiting."""

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._left, self._now = 0.0, now

    def left(self, now: float) -> float:
        """Bytes that may be sent; below 0 is debt."""
        self._left = min(self._left + (now - self._now) * self._rate, BURST * self._rate)
        self._now = now
        return self._left

    def spend(self, size: int) -> None:
        """So many bytes were sent."""
        self._left -= size

    def affords(self, now: float) -> bool:
        """Whether the debt is no more than what a burst may be."""
        return self.left(now) >= -BURST * self._rate

    def seconds(self, now: float, size: float = 0.0) -> float:
        """How long until `size` bytes may be sent."""
        return max(0.0, (min(size, BURST * self._rate) - self.left(now)) / self._rate)
