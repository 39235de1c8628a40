"""Kernels of adaptive steps: AdaGrad, Adam, AdaRevision. Each has a numpy reference of the same name with `_numpy`.

Weights w and state (n, width) are changed in place by gradients g; `rows` (m,) are places in them, each at most once.
None checks bounds: see `rows.increasing`.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Index = npt.NDArray[np.int64]


def listed(rows: slice | Index) -> Index:
    """Consecutive rows as a list, for steps whose own work is far more than that."""
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows


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


@numba.njit(cache=True, nogil=True)
def adam_rows(
    w: Array, m: Array, v: Array, t: Array, rows: Index, g: Array,
    lr: float, beta1: float, beta2: float, eps: float, share: float,
) -> None:  # fmt: skip
    """`share` of an Adam step (Kingma and Ba 2015, algorithm 1), for which g is a share of the gradient; t (n, 1).

    t <- t + share;  b1, b2 <- beta1^share, beta2^share;  m <- b1 m + (1 - b1) g / share;  v likewise of (g / share)²
    w <- w - share lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps)
    """
    b1, b2 = beta1**share, beta2**share
    for i in range(rows.size):
        r = rows[i]
        t[r, 0] += share
        step = share * lr / (1 - beta1 ** t[r, 0])
        correct = 1 / (1 - beta2 ** t[r, 0])
        for j in range(g.shape[1]):
            gj = g[i, j] / share
            mj = b1 * m[r, j] + (1 - b1) * gj
            vj = b2 * v[r, j] + (1 - b2) * gj * gj
            m[r, j] = mj
            v[r, j] = vj
            w[r, j] -= step * mj / (np.sqrt(vj * correct) + eps)


def adam_rows_numpy(
    w: Array, m: Array, v: Array, t: Array, rows: Index, g: Array,
    lr: float, beta1: float, beta2: float, eps: float, share: float,
) -> None:  # fmt: skip
    b1, b2, g = beta1**share, beta2**share, g.astype(float) / share
    t[rows] += share
    m_, v_ = b1 * m[rows] + (1 - b1) * g, b2 * v[rows] + (1 - b2) * g * g
    m[rows], v[rows] = m_, v_
    m_, v_ = m_ / (1 - beta1 ** t[rows]), v_ / (1 - beta2 ** t[rows])
    w[rows] = w[rows] - share * lr * m_ / (np.sqrt(v_) + eps)


@numba.njit(cache=True, nogil=True)
def adarevision_rows(w: Array, S: Array, z: Array, zmax: Array, rows: Index, g: Array, seen: Array, lr: float) -> None:
    """One step of AdaptiveRevision (McMahan and Streeter 2014); `seen` (m, width): S as whoever made g knew it.

    b <- S - seen;  z <- z + g² + 2 g b;  zmax <- max(z, zmax);  eta, eta' <- lr / sqrt(zmax) before and after
    w <- w - eta' g + (eta - eta') b;  S <- S + g
    """
    for i in range(rows.size):
        r = rows[i]
        for j in range(g.shape[1]):
            gj, Sj, top = g[i, j], S[r, j], zmax[r, j]
            b = Sj - seen[i, j]
            zj = z[r, j] + gj * gj + 2 * gj * b
            eta = lr / np.sqrt(top)
            top = max(zj, top)
            eta_ = lr / np.sqrt(top)
            z[r, j] = zj
            zmax[r, j] = top
            w[r, j] += (eta - eta_) * b - eta_ * gj
            S[r, j] = Sj + gj


def adarevision_rows_numpy(
    w: Array, S: Array, z: Array, zmax: Array, rows: Index, g: Array, seen: Array, lr: float
) -> None:
    b = S[rows] - seen
    eta = lr / np.sqrt(zmax[rows])
    z[rows] += g * g + 2 * g * b
    zmax[rows] = np.maximum(z[rows], zmax[rows])
    eta_ = lr / np.sqrt(zmax[rows])
    w[rows] += (eta - eta_) * b - eta_ * g
    S[rows] += g
