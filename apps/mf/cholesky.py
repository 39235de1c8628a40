"""Cholesky: small symmetric systems L L' x = b in place, a row at a time, where LAPACK's call would cost more."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]


@numba.njit(nogil=True, cache=True, fastmath=True, error_model="numpy")
def forward(A: F32, b: F32) -> float:
    """The lower triangle of A (m, m) becomes L, its diagonal inverted; b (m,) becomes y of L y = b. Returns y'y."""
    squared = 0.0
    for i in range(len(b)):
        for j in range(i + 1):
            v = A[i, j]
            for c in range(j):
                v -= A[i, c] * A[j, c]
            A[i, j] = np.float32(1) / np.sqrt(v) if i == j else v * A[j, j]
        v = b[i]
        for c in range(i):
            v -= A[i, c] * b[c]
        b[i] = v * A[i, i]
        squared += b[i] * b[i]
    return squared


@numba.njit(nogil=True, cache=True, fastmath=True, error_model="numpy")
def back(L: F32, y: F32) -> None:
    """y becomes x of L' x = y."""
    for i in range(len(y) - 1, -1, -1):
        v = y[i]
        for c in range(i + 1, len(y)):
            v -= L[c, i] * y[c]
        y[i] = v * L[i, i]
