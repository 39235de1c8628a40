"""CCD++ [Yu, Hsieh, Si, Dhillon 2012]: one rank after another, of all users and then of all items, round robin.

Biases are two ranks more, of which one side is 1 and stays so: r = mean + sum_t u_t v_t with the t of U (k + 2, users)
and V (k + 2, items). Given the residual R of all other ranks over the n ratings of a user,

    u = sum_i R_ui v_i / (lambda n + sum_i v_i^2)

and so for an item. Both sides hold the residual in their own order. What a rank changes is taken off when the next one
is gone through, so that each rank costs one pass over each.
"""

from __future__ import annotations

from typing import Any, final

import numba
import numpy as np
from numpy.typing import NDArray

from yarnml.app import Worker

from .factors import Factors
from .method import Method, Penalty
from .sides import Ratings, Side

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
JIT: dict[str, Any] = {"nogil": True, "cache": True, "fastmath": True, "error_model": "numpy"}


@final
class CCD(Method):
    def __init__(self, me: Worker, ratings: Ratings, factors: Factors, penalty: Penalty) -> None:
        self._me, self._ratings, self._factors, self._lam = me, ratings, factors, np.float32(penalty.lam)
        k = factors.k
        self._ranks = ([k, k + 1] if penalty.bias else []) + list(range(k))
        self._U, self._V = stacked(factors.P, k, k + 1), stacked(factors.Q, k + 1, k)
        self._R = [self._residual(side) for side in (ratings.by_user, ratings.by_item)]
        self._last = np.zeros(len(factors.P), np.float32), np.zeros(len(factors.Q), np.float32)  # yet to be taken off

    def epoch(self, number: int) -> float:  # noqa: ARG002
        for rank in self._ranks:
            self._rank(rank)
        self._factors.P[:, :-1], self._factors.Q[:, :-1] = self._U[:-2].T, self._V[:-2].T
        self._factors.P[:, -1], self._factors.Q[:, -1] = self._U[-2], self._V[-1]
        return self._objective()

    def _rank(self, rank: int) -> None:
        u, v, k = self._U[rank], self._V[rank], self._factors.k
        old = u.copy(), v.copy()
        self._sweep(0, old, u if rank != k + 1 else np.empty_like(u), v)
        self._sweep(1, old, v if rank != k else np.empty_like(v), u)
        self._last = u.copy(), v.copy()

    def _sweep(self, which: int, old: tuple[F32, F32], x: F32, y: F32) -> None:
        """Take the last rank off side `which` and put back what this one was; x of it, given y, is solved for."""
        side, R = (self._ratings.by_user, self._ratings.by_item)[which], self._R[which]
        own = slice(side.lo, side.hi)
        less, more = (self._last[which][own], self._last[1 - which]), (old[which][own], old[1 - which])

        def part(lo: int, hi: int) -> None:
            sweep(side.indptr, side.other, R, less, more, x[own], y, self._lam, lo, hi)

        side.each(self._me, part)
        side.share(self._me, x)

    def _residual(self, side: Side) -> F32:
        R = side.r - np.float32(self._factors.mean)
        mine, others = (self._U, self._V) if side is self._ratings.by_user else (self._V, self._U)
        U, V = np.ascontiguousarray(mine[:, side.lo : side.hi].T), np.ascontiguousarray(others.T)
        side.each(self._me, lambda lo, hi: subtract(side.indptr, side.other, R, U, V, lo, hi))
        return R

    def _objective(self) -> float:
        user, item = self._ratings.by_user, self._ratings.by_item
        last, others = self._last[0][user.lo : user.hi], self._last[1]
        parts = user.each(self._me, lambda lo, hi: squares(user.indptr, user.other, self._R[0], last, others, lo, hi))
        for side, X in ((user, self._factors.P), (item, self._factors.Q)):
            x2 = (X[side.lo : side.hi].astype(np.float64) ** 2).sum(axis=1)
            parts.append(float(self._lam * (x2 @ np.diff(side.indptr))))
        return float(self._me.sum(sum(parts)))


def stacked(X: F32, bias: int, ones: int) -> F32:
    """The ranks of one side, (k + 2, n)."""
    k = X.shape[1] - 1
    out = np.empty((k + 2, len(X)), np.float32)
    out[:k], out[bias], out[ones] = X[:, :k].T, X[:, k], 1
    return out


@numba.njit(**JIT)
def sweep(
    indptr: I64, other: I32, R: F32, less: tuple[F32, F32], more: tuple[F32, F32], x: F32, y: F32,
    lam: np.float32, lo: int, hi: int,
) -> None:  # fmt: skip
    """R += more - less, each a product of this side's and the other's; then x[lo:hi] solves for R = x y'."""
    (less_x, less_y), (more_x, more_y) = less, more
    for c in range(lo, hi):
        up, down, a, b = np.float32(0), np.float32(0), less_x[c], more_x[c]
        for p in range(indptr[c], indptr[c + 1]):
            j = other[p]
            g, e = y[j], R[p] + b * more_y[j] - a * less_y[j]
            R[p] = e
            up += e * g
            down += g * g
        n = np.float32(indptr[c + 1] - indptr[c])
        x[c] = up / (lam * n + down) if n > 0 and lam * n + down > 0 else np.float32(0)


@numba.njit(**JIT)
def subtract(indptr: I64, other: I32, R: F32, U: F32, V: F32, lo: int, hi: int) -> None:
    """R -= U_c . V_j, for the ratings of rows [lo, hi)."""
    for c in range(lo, hi):
        for p in range(indptr[c], indptr[c + 1]):
            e = np.float32(0)
            for t in range(U.shape[1]):
                e += U[c, t] * V[other[p], t]
            R[p] -= e


@numba.njit(**JIT)
def squares(indptr: I64, other: I32, R: F32, less_x: F32, less_y: F32, lo: int, hi: int) -> float:
    """sum (R - less)^2 over the ratings of rows [lo, hi)."""
    total = 0.0
    for c in range(lo, hi):
        part = np.float32(0)
        for p in range(indptr[c], indptr[c + 1]):
            e = R[p] - less_x[c] * less_y[other[p]]
            part += e * e
        total += float(part)
    return total
