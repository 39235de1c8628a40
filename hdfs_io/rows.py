"""Rows: what a worker computes on: its share of a data set in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hdfs_io.csr import CSR
from hdfs_io.keys import Keys


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a data set in their global order."""

    X: NDArray[np.float32] | CSR  # (n, width); dense ones C-contiguous
    y: NDArray[np.int32] | NDArray[np.float32] | None  # class codes, or numbers
    weight: NDArray[np.float32] | None
    id: NDArray[Any] | None  # numbers, or str objects
    number: NDArray[np.int64]  # global row numbers
    dropped: int = 0  # feature values left out, as the schema doesn't know their index
    user: Keys | None = None  # whose the rows are, where they are ratings, and of what
    item: Keys | None = None

    def __len__(self) -> int:
        return len(self.number)

    def take(self, rows: NDArray[Any]) -> Self:
        """A copy of the rows at these positions, in their order; a bool mask works too."""
        at = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows

        def taken(array: Any) -> Any:  # numpy's `take` copies dense rows three times as fast as `X[at]`
            return array.take(at) if isinstance(array, CSR | Keys) else np.take(array, at, axis=0)

        return self._each(taken)

    def slice(self, lo: int, hi: int) -> Self:
        """Rows at positions [lo, hi), as views."""

        def cut(array: Any) -> Any:
            return array.slice(lo, hi) if isinstance(array, CSR | Keys) else array[lo:hi]

        return self._each(cut)

    def _each(self, function: Callable[[Any], Any]) -> Self:
        def of(array: Any) -> Any:
            return None if array is None else function(array)

        rows = (of(self.X), of(self.y), of(self.weight), of(self.id), of(self.number))
        return type(self)(*rows, self.dropped, of(self.user), of(self.item))


def joined(parts: Sequence[Rows]) -> Rows:
    """Rows that follow each other as one, ids left out; `parts` isn't empty, and a single one isn't copied."""
    if len(parts) == 1:
        return parts[0]

    def of(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        return None if arrays[0] is None else np.concatenate(arrays)

    def keys(name: str) -> Keys | None:
        found = [key for part in parts if (key := getattr(part, name)) is not None]
        return Keys.joined(found) if found else None

    matrices = [part.X for part in parts if isinstance(part.X, CSR)]
    X = CSR.joined(matrices) if matrices else of("X")
    dropped = sum(part.dropped for part in parts)
    return Rows(X, of("y"), of("weight"), None, of("number"), dropped, keys("user"), keys("item"))
