"""Sparse: products of a CSR matrix X (n, d) with a thin dense one; scores lie class by class, (K, n)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

F32 = NDArray[np.float32]
FAST = {"contract", "nsz", "reassoc"}


def dot_reference(indptr: Any, indices: Any, values: Any, V: F32, Z: F32) -> None:
    """What `dot` does, in numpy."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    Z[:] = 0
    np.add.at(Z.T, row, values[:, None] * V[indices])


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def dot(indptr: Any, indices: Any, values: Any, V: F32, Z: F32) -> None:
    """Z (K, n) = (X V)^T, V (d, K)."""
    K = V.shape[1]
    z = np.empty(K, np.float32)
    for i in range(len(indptr) - 1):
        z[:] = 0
        for p in range(indptr[i], indptr[i + 1]):
            j, x = indices[p], values[p]
            for k in range(K):
                z[k] += x * V[j, k]
        for k in range(K):
            Z[k, i] = z[k]


def scatter_reference(indptr: Any, indices: Any, values: Any, R: F32, G: F32) -> None:
    """What `scatter` does, in numpy."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    np.add.at(G, indices, values[:, None] * R.T[row])


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def scatter(indptr: Any, indices: Any, values: Any, R: F32, G: F32) -> None:
    """G (d, K) += X^T R^T, R (K, n)."""
    K = R.shape[0]
    r = np.empty(K, np.float32)
    for i in range(len(indptr) - 1):
        for k in range(K):
            r[k] = R[k, i]
        for p in range(indptr[i], indptr[i + 1]):
            j, x = indices[p], values[p]
            for k in range(K):
                G[j, k] += x * r[k]


@njit(cache=True, nogil=True, error_model="numpy")
def squares(indptr: Any, values: Any, out: F32) -> None:
    """out (n,) = the sum of squares of each row."""
    for i in range(len(indptr) - 1):
        total = np.float32(0)
        for p in range(indptr[i], indptr[i + 1]):
            total += values[p] * values[p]
        out[i] = total


@njit(cache=True, nogil=True, error_model="numpy")
def largest(indices: Any, values: Any, out: NDArray[np.float64]) -> None:
    """out (d,) = the largest absolute value of each column, or what it was if that is larger."""
    for p in range(len(indices)):
        out[indices[p]] = max(out[indices[p]], abs(np.float64(values[p])))
