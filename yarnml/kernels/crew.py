"""Crew: the threads of one worker, for numpy and numba code that releases the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import TypeVar, final

import numpy as np

T = TypeVar("T")


@final
class Crew:
    """Shares rows out over `size` threads, the calling one among them.

    They take an overflow or a nan in numpy as the thread does that made the crew.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        alike = partial(np.seterr, **np.geterr())
        self._pool = ThreadPoolExecutor(size - 1, "crew", initializer=alike) if size > 1 else None

    def each(self, function: Callable[[int, int], T], rows: int, least: int = 256) -> list[T]:
        """`function(lo, hi)` on consecutive parts of `rows` rows, one a thread; the results in the rows' order.

        The parts depend on `rows` and the crew's size alone, so that results added in order are the same in every run.
        `least`: rows below which another thread costs more than it brings.
        """
        parts = max(1, min(self.size, rows // max(1, least)))
        cuts = [rows * part // parts for part in range(parts + 1)]
        if parts == 1 or self._pool is None:
            return [function(lo, hi) for lo, hi in pairwise(cuts)]
        others = [self._pool.submit(function, lo, hi) for lo, hi in pairwise(cuts[1:])]
        return [function(cuts[0], cuts[1]), *(other.result() for other in others)]

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
