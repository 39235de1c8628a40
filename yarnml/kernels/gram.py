"""Gram: products of a few of a matrix's columns with each other, weighted by row; rows sparse or dense."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io import CSR

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]


def gram_reference(X: F64, h: F32, columns: NDArray[np.int64], old: int, G: F64) -> None:
    """What `gram` does to all rows of a dense X, in numpy; it fills both halves of what is new with new."""
    A = np.hstack([X[:, columns], np.ones((len(X), 1))])
    G += (A[:, old:-1] * (h[:, None] if len(h) else 1.0)).T @ A


def gram(
    X: F32 | CSR, h: F32, columns: NDArray[np.int64], place: NDArray[np.int32], old: int, G: F64, lo: int, hi: int
) -> None:
    """G (m - old, m + 1) += sum over rows i in [lo, hi) of h_i x_i[new] (x_i[columns], 1)'.

    `columns` (m,): the first `old` of them are known; the others are new and rising. place (d,): where a column stands
    among them, or -1. h (n,), or (0,) for ones. Of sparse rows only the upper half of new with new is filled.
    """
    if isinstance(X, CSR):
        _gram_sparse(X.indptr, X.indices, X.values, h, place, old, G, lo, hi)
    elif hi > lo and len(columns) > old:
        A = np.empty((hi - lo, len(columns) + 1))
        A[:, :-1] = X[lo:hi, columns]
        A[:, -1] = 1
        new = A[:, old:-1]
        G += (new * h[lo:hi, None] if len(h) else new).T @ A


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "reassoc"})
def _gram_sparse(
    indptr: Any, indices: Any, values: Any, h: F32, place: NDArray[np.int32], old: int, G: F64, lo: int, hi: int
) -> None:
    m = G.shape[1] - 1
    known, fresh = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)  # one more: what isn't picked is put there
    xk, xf = np.empty(m + 1), np.empty(m + 1)
    for i in range(lo, hi):
        k = n = 0
        for p in range(indptr[i], indptr[i + 1]):
            j = place[np.uint32(indices[p])]
            known[k], xk[k] = j, values[p]
            fresh[n], xf[n] = j, values[p]
            k += 0 <= j < old
            n += j >= old
        weight = np.float64(h[i]) if len(h) else 1.0
        for s in range(n):
            x, row = weight * xf[s], G[fresh[s] - old]
            for t in range(k):
                row[known[t]] += x * xk[t]
            for t in range(s, n):
                row[fresh[t]] += x * xf[t]
            row[m] += x
