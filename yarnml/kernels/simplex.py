"""Kernel of the projection onto a simplex, with its numpy reference."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@numba.njit(cache=True, nogil=True)
def simplex(w: Array, total: float) -> None:
    """Each row of w (n, width), in place, becomes the nearest one of {w >= 0, sum w = total}.

    Duchi, Shalev-Shwartz, Singer, Chandra 2008, figure 1: with u the row in falling order, rho is the last j with
    u_j > (u_1 + ... + u_j - total) / j, theta that quotient at rho; w <- max(w - theta, 0).
    """
    for i in range(w.shape[0]):
        u = np.sort(w[i].astype(np.float64))
        top = u[-1]  # taken off, so that large numbers leave the sum its digits
        above, theta = 0.0, 0.0
        for j in range(u.size):
            uj = u[u.size - 1 - j] - top
            above += uj
            quotient = (above - total) / (j + 1)
            if uj <= quotient:
                break
            theta = quotient
        for j in range(u.size):
            v = w[i, j] - top - theta
            w[i, j] = 0.0 if v < 0.0 else v  # a nan stays one


def simplex_numpy(w: Array, total: float) -> None:
    top = w.astype(float).max(axis=1, keepdims=True)
    u = -np.sort(top - w, axis=1)
    quotient = (np.cumsum(u, axis=1) - total) / np.arange(1, w.shape[1] + 1)
    rho = (u > quotient).sum(axis=1) - 1
    w[:] = np.maximum(w - top - quotient[np.arange(len(w)), rho][:, None], 0)
