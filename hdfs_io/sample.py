"""Sample: which rows serve one end, by their global numbers alone; and the span of rows that a worker reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hdfs_io.kernels.mix import between

CHUNK = 1 << 20  # rows hashed at a time when only their count is wanted


@dataclass(frozen=True)
class Sample:
    """Keeps row r iff low <= u(seed, r) < high, with u a hash in [0, 1): files and workers don't matter.

    `Sample(seed, 0, f)` and `Sample(seed, f, 1)` part a data set in two without overlap.
    """

    seed: int
    low: float
    high: float

    @classmethod
    def all(cls) -> Self:
        return cls(0, 0.0, 1.0)

    @property
    def keeps_all(self) -> bool:
        return self.low <= 0.0 and self.high >= 1.0

    def mask(self, lo: int, hi: int) -> NDArray[np.bool_]:
        """Which of the global rows [lo, hi) are kept."""
        out = np.empty(max(0, hi - lo), np.bool_)
        between(np.uint64(self.seed % 2**64), lo, float(self.low), float(self.high), out)
        return out

    def count(self, rows: int) -> int:
        """How many of the rows [0, rows) are kept."""
        return self.within(0, rows)

    def within(self, lo: int, hi: int) -> int:
        """How many of the rows [lo, hi) are kept."""
        if self.keeps_all:
            return max(0, hi - lo)
        return sum(int(self.mask(at, min(hi, at + CHUNK)).sum()) for at in range(lo, hi, CHUNK))


def span(rows: int, index: int, of: int) -> tuple[int, int]:
    """The global rows [lo, hi) that worker `index` of `of` reads: a cut by numbers, never by files."""
    return rows * index // of, rows * (index + 1) // of
