"""Batch: the rows of one worker in one clock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Keys, Rows


@final
@dataclass(frozen=True, eq=False)
class Batch:
    """A worker's share of the rows that all workers take together in one clock.

    `columns` serves tables with a row for each feature and a last one for the bias: the rows that this batch touches,
    or None for all. Where it isn't None, X is a CSR whose column j stands for feature `columns[j]`.
    """

    X: NDArray[np.float32] | CSR  # (n, width), or (n, len(columns) - 1)
    y: NDArray[Any] | None = None  # (n,) class codes or numbers
    weight: NDArray[np.float32] | None = None  # (n,)
    columns: NDArray[np.int64] | None = None  # rising; the last is the width itself, the bias's row
    first: int = 0  # where the rows begin in the worker's own order, in which it keeps what it knows of each row
    rows: float = 0.0  # rows of this clock over all workers: the mean over the pass, so that all rows count alike
    epoch: int = 0  # from 0
    step: int = 0  # clock of this pass, from 0
    steps: int = 1  # clocks of a pass
    user: Keys | None = None  # (n,) each, where rows are ratings
    item: Keys | None = None

    def __len__(self) -> int:
        return len(self.X)

    def slice(self, lo: int, hi: int) -> Batch:
        """Rows [lo, hi) of the batch, as views."""
        X = self.X.slice(lo, hi) if isinstance(self.X, CSR) else self.X[lo:hi]
        y, weight = (None if array is None else array[lo:hi] for array in (self.y, self.weight))
        user, item = (None if keys is None else keys.slice(lo, hi) for keys in (self.user, self.item))
        return replace(self, X=X, y=y, weight=weight, first=self.first + lo, user=user, item=item)

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Rows that something is to be predicted of."""
        return cls(rows.X, user=rows.user, item=rows.item)
