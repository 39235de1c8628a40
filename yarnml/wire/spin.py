"""A spin: looking for messages for a while, giving the core away in between, before a thread goes to sleep."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar, final

RESTS = 256
CROWDED = 50e-6  # s for which a core that was given away tells that others want it
BULK_RESTS = 8
T = TypeVar("T")


@final
class Spin:
    """It halves a round trip between two processes of one host, where a core has nothing better to do.

    Where one has, or what comes takes longer anyhow, it costs: each such time it is left out twice as often, and after
    bulk too.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._rests = 1  # times to leave it out after the next one in vain
        self._resting = 0

    def until(self, look: Callable[[], T | None]) -> T | None:
        """What `look` finds, or None if it is time to sleep."""
        if not self._seconds:
            return None
        if self._resting:
            self._resting -= 1
            return None
        found, crowded = look(), False
        now = perf_counter()
        end = now + self._seconds
        while found is None and now < end and not crowded:
            os.sched_yield()
            found = look()
            before, now = now, perf_counter()
            crowded = now - before > CROWDED
        if found is None or crowded:
            self._resting = self._rests
            self._rests = min(2 * self._rests, RESTS)
        else:
            self._rests = 1  # it paid
        return found

    def rest(self) -> None:
        """Bulk has come or gone: more of it is bound by the threads that copy, which want the core."""
        self._resting = max(self._resting, BULK_RESTS)
