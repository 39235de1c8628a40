"""Passes over rows: dual coordinate descent with shrinking [Hsieh et al. 2008, algorithm 3], and the duality gap.

A pass begins where momentum has carried the rows to, alpha_i + beta (alpha_i - before_i), which may be out of bounds:
each row is brought back as the pass comes to it. A row that moved is in the next pass, whatever its bound: w, as that
pass begins, knows where momentum has carried it. `moves` (n,) is LEFT_OUT, MOVES or DROPPED, which is a row that the
pass which runs has found not to.

Rows x_i are sparse, `values[indptr[i]:indptr[i + 1]]` at `indices`, or dense, `values[i]`, and end in the constant
`bias`, whose weight is the last of w (d + 1,). A row's label y_i is 1 where its class is `positive`, else -1. U_i =
`cap[i]` is C times its weight; D_i is 1 / 2 U_i under the L2 loss, and 0 under the L1 loss, whose alpha is at most U_i.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from yarnml.kernels.prefetch import prefetch

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I8 = NDArray[np.int8]
I32 = NDArray[np.int32]
FAST = {"contract", "nsz", "reassoc"}
LEFT_OUT, MOVES, DROPPED = 0, 1, 2
AHEAD, LINE = 8, 16  # rows for which memory is asked early; numbers of a cache line


def sweep_reference(
    indptr: Any, indices: Any, values: Any, bias: float, y: I32, positive: int, squares: F32, cap: F32, squared: bool,
    sigma: float, beta: float, high: float, low: float, alpha: F64, before: F64, slope: F32, moves: I8, w: F64,
    order: I32,
) -> None:  # fmt: skip
    """What `sweep` does, in numpy."""
    rows = dense(indptr, indices, values, len(w) - 1, bias)
    for i in order:
        sign, was = (1.0 if y[i] == positive else -1.0), float(alpha[i])
        most, D = (np.inf, 0.5 / cap[i]) if squared else (float(cap[i]), 0.0)
        far = was + beta * (was - before[i])
        a = min(max(far, 0.0), most)
        w += sigma * sign * (a - far) * rows[i]
        before[i] = was
        G = sign * (rows[i] @ w) - 1 + D * a
        if a == was and ((a <= 0 and high < G) or (a >= most and low > G)):
            moves[i] = DROPPED
            continue
        slope[i] = projected = min(G, 0.0) if a <= 0 else max(G, 0.0) if a >= most else G
        alpha[i] = min(max(a - G / (sigma * squares[i] + D), 0.0), most) if projected else a
        w += sigma * sign * (alpha[i] - a) * rows[i]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def sweep(  # type: ignore[no-untyped-def]
    indptr, indices, values, bias, y, positive, squares, cap, squared,
    sigma, beta, high, low, alpha, before, slope, moves, w, order,
):  # fmt: skip
    """Minimise the dual over each alpha_i in turn, rows in `order`, keeping w = sum_i y_i alpha_i x_i.

    `sigma` is CoCoA+'s sigma': w then goes that much further than alpha, as if others did the same [Ma et al. 2015,
    equation 9]. A row at its bound whose gradient lies beyond `high` or `low` is dropped. `squares` (n,): |x_i|^2;
    `before` (n,) becomes what alpha was, `slope` (n,) the projected gradient.
    """
    n = len(order)
    for t in range(n):
        i = order[t]
        if t + AHEAD < n:
            _ask(indptr, indices, values, order[t + AHEAD])
        sign, was = 1.0 if y[i] == positive else -1.0, alpha[i]
        most, D = (np.inf, 0.5 / cap[i]) if squared else (np.float64(cap[i]), 0.0)
        far = was + beta * (was - before[i])
        a = min(max(far, 0.0), most)
        if a != far:
            _add(indptr, indices, values, bias, i, sigma * sign * (a - far), w)
        before[i] = was
        G = sign * _dot(indptr, indices, values, bias, i, w) - 1.0 + D * a
        if a == was and ((a <= 0.0 and high < G) or (a >= most and low > G)):
            moves[i] = DROPPED
            continue
        projected = min(G, 0.0) if a <= 0.0 else max(G, 0.0) if a >= most else G
        slope[i] = projected
        new = a
        if projected != 0.0:
            new = min(max(a - G / (sigma * squares[i] + D), 0.0), most)
            _add(indptr, indices, values, bias, i, sigma * sign * (new - a), w)
        alpha[i] = new


def measure_reference(
    indptr: Any, indices: Any, values: Any, bias: float, y: I32, positive: int, cap: F32, squared: bool,
    high: float, low: float, alpha: F64, before: F64, moves: I8, w: F64, lo: int, hi: int,
) -> tuple[float, float]:  # fmt: skip
    """What `measure` does, in numpy."""
    U, a = cap[lo:hi].astype(np.float64), alpha[lo:hi]
    sign = np.where(y[lo:hi] == positive, 1.0, -1.0)
    margin = sign * (dense(indptr, indices, values, len(w) - 1, bias)[lo:hi] @ w)
    short = np.maximum(1 - margin, 0.0)
    D = 0.5 / np.where(U > 0, U, np.inf) if squared else np.zeros(len(U))
    G = margin - 1 + D * a
    idle = ((a <= 0) & (high < G)) | ((a >= (np.inf if squared else U)) & (low > G))
    moves[lo:hi] = np.where((U > 0) & ~(idle & (a == before[lo:hi])), MOVES, LEFT_OUT)
    return float(U @ (short**2 if squared else short)), float(a.sum() - D @ (a * a) / 2)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def measure(  # type: ignore[no-untyped-def]
    indptr, indices, values, bias, y, positive, cap, squared, high, low, alpha, before, moves, w, lo, hi
):  # fmt: skip
    """Rows [lo, hi) in the primal, sum_i U_i loss_i, and in the dual, sum_i alpha_i - D_i alpha_i^2 / 2.

    Rows that `sweep` wouldn't drop move from now on, others don't.
    """
    loss, gain = 0.0, 0.0
    for i in range(lo, hi):
        U = np.float64(cap[i])
        moves[i] = LEFT_OUT
        if U <= 0.0:
            continue  # it weighs nothing
        a = alpha[i]
        most, D = (np.inf, 0.5 / U) if squared else (U, 0.0)
        margin = _dot(indptr, indices, values, bias, i, w) * (1.0 if y[i] == positive else -1.0)
        short, G = max(1.0 - margin, 0.0), margin - 1.0 + D * a
        loss += U * (short * short if squared else short)
        gain += a - D * a * a / 2
        if a != before[i] or not ((a <= 0.0 and high < G) or (a >= most and low > G)):
            moves[i] = MOVES
    return loss, gain


@njit(cache=True, nogil=True)
def shuffle(order: I32, block: int, seed: int) -> None:
    """Blocks of `block` entries in random order, and in each of them too: near rows stay near, for the caches' sake."""
    np.random.seed(seed)  # numba's own, one a thread
    before = order.copy()
    n, end = len(order), 0
    for b in np.random.permutation((n + block - 1) // block):
        some = before[b * block : min(n, (b + 1) * block)]
        np.random.shuffle(some)
        order[end : end + len(some)] = some
        end += len(some)


def dense(indptr: Any, indices: Any, values: Any, width: int, bias: float) -> F64:
    """All rows (n, d + 1) with their last constant."""
    if values.ndim == 2:
        return np.hstack([values.astype(np.float64), np.full((len(values), 1), bias)])
    rows = np.zeros((len(indptr) - 1, width + 1))
    np.add.at(rows, (np.repeat(np.arange(len(rows)), np.diff(indptr)), indices), values)
    rows[:, -1] = bias
    return rows


@njit(cache=True, nogil=True)
def _ask(indptr, indices, values, i):  # type: ignore[no-untyped-def]
    """The beginning of row i will be wanted soon."""
    if values.ndim == 2:
        prefetch(values, np.int64(i) * values.shape[1])  # type: ignore[call-arg]
    else:
        for p in range(indptr[i], indptr[i + 1], LINE):
            prefetch(indices, p)  # type: ignore[call-arg]
            prefetch(values, p)


# numba drops the branch of the other kind of rows, which it couldn't compile


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _dot(indptr, indices, values, bias, i, w):  # type: ignore[no-untyped-def]
    """w' x_i."""
    s = 0.0
    if values.ndim == 2:
        for j in range(values.shape[1]):
            s += values[i, j] * w[j]
    else:
        for p in range(indptr[i], indptr[i + 1]):
            s += values[p] * w[np.uint32(indices[p])]
    return s + bias * w[-1]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _add(indptr, indices, values, bias, i, step, w):  # type: ignore[no-untyped-def]
    """w += step x_i."""
    if values.ndim == 2:
        for j in range(values.shape[1]):
            w[j] += step * values[i, j]
    else:
        for p in range(indptr[i], indptr[i + 1]):
            w[np.uint32(indices[p])] += step * values[p]
    w[-1] += step * bias
