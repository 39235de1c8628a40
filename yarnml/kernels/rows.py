"""Kernels over rows of a table: add, gather, AdaGrad. Each has a numpy reference of the same name with `_numpy`.

`values` (n, width) is changed in place; `rows` (m,) are places in it; duplicates add up. None checks bounds: see
`increasing`.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Index = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def add(values: Array, delta: Array) -> None:
    """values += delta, both contiguous and of one shape."""
    v, d = values.reshape(-1), delta.reshape(-1)
    for i in range(v.size):
        v[i] += d[i]


def add_numpy(values: Array, delta: Array) -> None:
    values += delta


@numba.njit(cache=True, nogil=True)
def add_rows(values: Array, rows: Index, delta: Array) -> None:
    """values[rows] += delta."""
    for i in range(rows.size):
        r = rows[i]
        for j in range(delta.shape[1]):
            values[r, j] += delta[i, j]


def add_rows_numpy(values: Array, rows: Index, delta: Array) -> None:
    np.add.at(values, rows, delta)


@numba.njit(cache=True, nogil=True)
def gather(values: Array, rows: Index, out: Array) -> None:
    """out[:] = values[rows]."""
    for i in range(rows.size):
        r = rows[i]
        for j in range(out.shape[1]):
            out[i, j] = values[r, j]


def gather_numpy(values: Array, rows: Index, out: Array) -> None:
    out[:] = values[rows]


@numba.njit(cache=True, nogil=True)
def increasing(rows: Index, low: int, high: int) -> bool:
    """Whether low <= rows[0] < rows[1] < ... < high."""
    last = low - 1
    for i in range(rows.size):
        if rows[i] <= last:
            return False
        last = rows[i]
    return bool(last < high)


def increasing_numpy(rows: Index, low: int, high: int) -> bool:
    if not rows.size:
        return low - 1 < high
    return bool(rows[0] >= low and rows[-1] < high and (np.diff(rows) > 0).all())


@numba.njit(cache=True, nogil=True)
def adagrad(w: Array, G: Array, g: Array, lr: float, l2: float, eps: float) -> None:
    """One AdaGrad step (Duchi et al. 2011, diagonal case) on contiguous w (n, width).

    g <- g + l2 w;  G <- G + g²;  w <- w - lr g / sqrt(G + eps)
    """
    w1, G1, g1 = w.reshape(-1), G.reshape(-1), g.reshape(-1)
    lr_, l2_, eps_ = w.dtype.type(lr), w.dtype.type(l2), w.dtype.type(eps)
    for i in range(w1.size):
        gi = g1[i] + l2_ * w1[i]
        Gi = G1[i] + gi * gi
        G1[i] = Gi
        w1[i] -= lr_ * gi / np.sqrt(Gi + eps_)


def adagrad_numpy(w: Array, G: Array, g: Array, lr: float, l2: float, eps: float) -> None:
    g = g + w.dtype.type(l2) * w
    G += g * g
    w -= w.dtype.type(lr) * g / np.sqrt(G + w.dtype.type(eps))


@numba.njit(cache=True, nogil=True)
def adagrad_rows(w: Array, G: Array, rows: Index, g: Array, lr: float, l2: float, eps: float) -> None:
    """The same step on the rows listed, each at most once."""
    lr_, l2_, eps_ = w.dtype.type(lr), w.dtype.type(l2), w.dtype.type(eps)
    for i in range(rows.size):
        r = rows[i]
        for j in range(g.shape[1]):
            gi = g[i, j] + l2_ * w[r, j]
            Gi = G[r, j] + gi * gi
            G[r, j] = Gi
            w[r, j] -= lr_ * gi / np.sqrt(Gi + eps_)


def adagrad_rows_numpy(w: Array, G: Array, rows: Index, g: Array, lr: float, l2: float, eps: float) -> None:
    w_, G_ = w[rows], G[rows]
    adagrad_numpy(w_, G_, g, lr, l2, eps)
    w[rows], G[rows] = w_, G_
