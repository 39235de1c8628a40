"""Plan: which rows of its share a worker takes at which clock. Pure: a function of numbers, never of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

SHUFFLE, ORDER = 1, 2  # what a stream of random numbers is for


@final
@dataclass(frozen=True)
class Plan:
    """Passes over `rows` rows in batches. Every worker has equally many clocks, whatever its share.

    A worker's rows are shuffled once, then cut into as many pieces as a pass has clocks; each pass takes the pieces in
    an order of its own, the same for all workers.
    """

    rows: int  # of all workers
    share: int  # of this worker
    batch: int  # rows a clock, of all workers
    seed: int
    first: int  # global number of the worker's first row, so that shares are shuffled apart

    @property
    def steps(self) -> int:
        """Clocks a pass."""
        return max(1, -(-self.rows // self.batch))

    def shuffle(self) -> NDArray[np.int64]:
        """The worker's own order of its rows."""
        return shuffled(self.seed, self.first, self.share)

    def order(self, epoch: int) -> NDArray[np.int64]:
        """The order of the pieces in one pass."""
        return _stream(self.seed, ORDER, epoch).permutation(self.steps)

    def piece(self, number: int) -> slice:
        """Where piece `number` lies in the worker's own order."""
        return slice(number * self.share // self.steps, (number + 1) * self.share // self.steps)


def shuffled(seed: int, first: int, rows: int) -> NDArray[np.int64]:
    """The own order of a worker that has so many rows, its first one of this global number."""
    return _stream(seed, SHUFFLE, first).permutation(rows)


def usual_batch(rows: int) -> int:
    """A batch that gives about 100 clocks a pass: enough steps on small data, few messages on large."""
    return min(max(rows // 100, 64), 4096)


def usual_epochs(rows: int, steps: int) -> int:
    """20 passes of `steps` clocks; on small data as many as make 2,000 clocks, but no more than are over in seconds."""
    return max(20, min(-(-2000 // steps), 2_000_000 // max(1, rows)))


def _stream(seed: int, purpose: int, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed % 2**64, purpose], counter=[0, 0, 0, number]))
