"""Descent: coordinate descent on a small quadratic with a penalty that makes weights exactly zero.

    minimise  u' G u / 2 - q' u + sum_j l1_j |w_j + u_j| + l2_j (w_j + u_j)^2 / 2    over u (m,)

one weight at a time, each exactly [Friedman, Hastie, Tibshirani 2010, Regularization paths for GLMs, eq. 5 and 2.2].
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def descend_reference(G: F64, q: F64, w: F64, l1: F64, l2: F64, tol: float, sweeps: int) -> int:
    """What `descend` does, in numpy."""
    for sweep in range(sweeps):
        largest = 0.0
        for j in np.flatnonzero(G.diagonal() > 0):
            z = q[j] + G[j, j] * w[j]
            new = np.sign(z) * max(abs(z) - l1[j], 0) / (G[j, j] + l2[j])
            step, w[j] = new - w[j], new
            q -= step * G[j]
            largest = max(largest, step * step * (G[j, j] + l2[j]))
        if largest <= tol:
            return sweep + 1
    return sweeps


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "reassoc"})
def descend(G: F64, q: F64, w: F64, l1: F64, l2: F64, tol: float, sweeps: int) -> int:
    """Change w (m,) to w + u, and q to q - G u, until no step of a sweep gains more than `tol`; the sweeps it took.

    G (m, m) symmetric; a column without length keeps its weight. After each sweep over all weights those that aren't
    zero are gone over until they rest: the others seldom move.
    """
    m = len(w)
    sweep = 0
    while sweep < sweeps:
        every = True
        largest = 0.0
        while sweep < sweeps:
            sweep += 1
            now = 0.0
            for j in range(m):
                h = G[j, j]
                if h <= 0 or not (every or w[j] != 0):
                    continue
                z = q[j] + h * w[j]
                new = np.sign(z) * max(abs(z) - l1[j], 0.0) / (h + l2[j])
                if new != w[j]:
                    step = new - w[j]
                    w[j] = new
                    row = G[j]
                    for k in range(m):
                        q[k] -= step * row[k]
                    now = max(now, step * step * (h + l2[j]))
            if every:
                largest = now
            every = False
            if now <= tol:
                break
        if largest <= tol:
            break
    return sweep
