"""Rows: what a worker computes on: its share of a data set in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hdfs_io.csr import CSR


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a data set in their global order."""

    X: NDArray[np.float32] | CSR  # (n, width); dense ones C-contiguous
    y: NDArray[np.int32] | NDArray[np.float32] | None  # class codes, or numbers
    weight: NDArray[np.float32] | None
    id: NDArray[Any] | None  # numbers, or str objects
    number: NDArray[np.int64]  # global row numbers
    dropped: int = 0  # feature values left out, as the schema doesn't know their index

    def __len__(self) -> int:
        return len(self.number)

    def take(self, rows: NDArray[Any]) -> Self:
        """A copy of the rows at these positions, in their order; a bool mask works too."""
        return self._each(self.X.take(rows) if isinstance(self.X, CSR) else self.X[rows], rows)

    def slice(self, lo: int, hi: int) -> Self:
        """Rows at positions [lo, hi), as views."""
        part = slice(lo, hi)
        return self._each(self.X.slice(lo, hi) if isinstance(self.X, CSR) else self.X[part], part)

    def _each(self, X: Any, part: Any) -> Self:
        def cut(array: Any) -> Any:
            return None if array is None else array[part]

        return type(self)(X, cut(self.y), cut(self.weight), cut(self.id), self.number[part], self.dropped)
