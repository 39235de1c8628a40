"""CSR: a sparse matrix by rows, as the apps' kernels take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from hdfs_io.kernels.gather import gather

if TYPE_CHECKING:
    import scipy.sparse


@dataclass(frozen=True, eq=False)
class CSR:
    """Row i holds `values[indptr[i]:indptr[i+1]]` at the rising columns `indices[indptr[i]:indptr[i+1]]`."""

    indptr: NDArray[np.int64]  # (rows + 1,), from 0
    indices: NDArray[np.int32]  # (values,), in [0, width)
    values: NDArray[np.float32]  # (values,)
    width: int

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.width

    def take(self, rows: NDArray[Any]) -> Self:
        """A copy of the rows of these numbers, in their order; a bool mask works too."""
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        rows = rows.astype(np.int64, copy=False)
        indptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(self.indptr[rows + 1] - self.indptr[rows], out=indptr[1:])
        indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
        gather(self.indptr, self.indices, self.values, rows, indptr, indices, values)
        return type(self)(indptr, indices, values, self.width)

    def slice(self, lo: int, hi: int) -> Self:
        """Rows [lo, hi): views of the values, a copy of the row starts."""
        indptr = self.indptr[lo : hi + 1]
        values = slice(indptr[0], indptr[-1])
        return type(self)(indptr - indptr[0], self.indices[values], self.values[values], self.width)

    @classmethod
    def joined(cls, parts: Sequence[CSR]) -> Self:
        """The rows of matrices of one width, one after the other; `parts` isn't empty."""
        ends = np.cumsum([0, *(part.indptr[-1] for part in parts)])
        indptr = [part.indptr[1:] + end for part, end in zip(parts, ends, strict=False)]
        indices, values = ([getattr(part, name) for part in parts] for name in ("indices", "values"))
        zero = np.zeros(1, np.int64)
        return cls(np.concatenate([zero, *indptr]), np.concatenate(indices), np.concatenate(values), parts[0].width)

    def __matmul__(self, V: NDArray[Any]) -> NDArray[Any]:
        """X V of a dense V (width,) or (width, K): (rows,) or (rows, K)."""
        found: NDArray[Any] = self.to_scipy() @ V
        return found

    @property
    def T(self) -> scipy.sparse.csc_matrix:
        """The transpose, for `X.T @ R` of a dense R (rows,) or (rows, K); it shares the arrays."""
        return self.to_scipy().T

    def columns(self) -> NDArray[np.int64]:
        """The columns that hold a value in any row, rising."""
        used = np.zeros(self.width, np.bool_)
        used[self.indices] = True
        return np.flatnonzero(used)

    def to_scipy(self) -> scipy.sparse.csr_matrix:
        """The same matrix for scipy, sharing the arrays."""
        from scipy.sparse import csr_matrix  # slow to import, and readers don't need it

        return csr_matrix((self.values, self.indices, self.indptr), shape=self.shape)
