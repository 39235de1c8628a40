"""Moments: sums over the rows of each column, in one pass and float64."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


def moments_reference(X: NDArray[np.float32]) -> NDArray[np.float64]:
    """What `moments` does, in numpy."""
    wide = X.astype(np.float64)
    return np.stack([wide.sum(axis=0), (wide * wide).sum(axis=0)])


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "reassoc"})
def moments(X: NDArray[np.float32]) -> NDArray[np.float64]:
    """(2, d): the sum and the sum of squares of each column of X (n, d)."""
    n, d = X.shape
    found = np.zeros((2, d))
    for i in range(n):
        for j in range(d):
            x = np.float64(X[i, j])
            found[0, j] += x
            found[1, j] += x * x
    return found
