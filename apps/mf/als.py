"""Alternating least squares: all users given the items, then all items given the users.

Explicit [Zhou, Wilkinson, Schreiber, Pan 2008], with biases: z_i = (q_i, 1) and t = r_ui - m - b_i over the n ratings
of a user give x = (p_u, b_u) by the bordered system

    (sum_i z_i z_i' + lambda n I) x = sum_i t z_i

and so in turn for an item; without biases z_i = q_i. Implicit [Hu, Koren, Volinsky 2008, equation 4]: without biases,
with every item in the sum, and c_ui = 1 + alpha r_ui:

    (Q'Q + sum_i alpha r_ui q_i q_i' + lambda I) p_u = sum_i c_ui q_i

At the solution x of (A + D) x = b its part of the objective is sum_i t^2 - x'b (c_ui for t^2 if implicit): no pass of
its own is needed to know how it falls.
"""

from __future__ import annotations

from typing import Any, final

import numba
import numpy as np
from numpy.typing import NDArray

from yarnml.app import Worker

from .cholesky import back, forward
from .factors import Factors
from .method import Method, Penalty
from .sides import Ratings, Side

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
JIT: dict[str, Any] = {"nogil": True, "cache": True, "fastmath": True, "error_model": "numpy"}


@final
class ALS(Method):
    def __init__(self, me: Worker, ratings: Ratings, factors: Factors, penalty: Penalty, alpha: float | None) -> None:
        """`alpha`: None for explicit ratings."""
        self._me, self._ratings, self._factors = me, ratings, factors
        self._lam, self._alpha, self._implicit = np.float32(penalty.lam), np.float32(alpha or 0), alpha is not None
        self._m = factors.k + penalty.bias

    def epoch(self, number: int) -> float:  # noqa: ARG002
        P, Q = self._factors.P, self._factors.Q
        self._half(P, Q, self._ratings.by_user)
        loss = self._half(Q, P, self._ratings.by_item)
        own = self._ratings.by_user
        x2 = (P[own.lo : own.hi].astype(np.float64) ** 2).sum(axis=1)
        n = np.ones(len(x2)) if self._implicit else np.diff(own.indptr)
        return float(self._me.sum(loss + self._lam * (x2 @ n)))

    def _half(self, X: F32, Y: F32, side: Side) -> float:
        """All rows of X given Y; what this worker's add to the objective, but for Y's own penalty."""
        k, own, mean = self._factors.k, X[side.lo : side.hi], np.float32(self._factors.mean)
        G = Y[:, :k].T @ Y[:, :k] if self._implicit else np.zeros((k, k), np.float32)

        def part(lo: int, hi: int) -> float:
            fixed = ((0,) * k, self._m, self._implicit, side.indptr, side.other, side.r)
            return float(half(*fixed, own, Y, G.ravel(), mean, self._lam, self._alpha, lo, hi))

        loss = float(sum(side.each(self._me, part)))
        side.share(self._me, X)
        return loss


@numba.njit(**JIT)
def half(
    k_: tuple[int, ...], m: int, implicit: bool, indptr: I64, other: I32, r: F32, X: F32, Y: F32, G: F32,
    mean: np.float32, lam: np.float32, alpha: np.float32, lo: int, hi: int,
) -> float:  # fmt: skip
    """Rows [lo, hi) of X (n, k + 1) given Y (m, k + 1). Returns what they add to the objective.

    `k_` is any tuple of k numbers: by its length, which is part of its type, the compiler knows k, so that a loop over
    k numbers is a few instructions. `m`: k + 1 with biases, else k. G (k * k,) is what each row's matrix begins with.
    """
    k = len(k_)
    A, b, s = np.empty(k * k, np.float32), np.empty(k, np.float32), np.empty(k, np.float32)
    L, x, loss = np.empty((m, m), np.float32), np.empty(m, np.float32), 0.0
    for u in range(lo, hi):
        begin, end = indptr[u], indptr[u + 1]
        X[u] = 0
        if begin == end:
            continue
        A[:], b[:], s[:] = G, 0, 0
        some, ratings = other[begin:end], r[begin:end]
        total, squares = add(k_, implicit, some, ratings, Y.reshape(-1), mean, alpha, A, b, s)
        n = np.float32(end - begin)
        penalty = lam if implicit else lam * n
        for i in range(m):
            for j in range(i + 1):
                v = A[i * k + j] if i < k else (s[j] if j < k else n)
                L[i, j] = v + penalty if i == j else v
            x[i] = b[i] if i < k else total
        loss += squares - forward(L, x)
        back(L, x)
        X[u, :m] = x
    return loss


@numba.njit(**JIT)
def term(
    implicit: bool, r: np.float32, bias: np.float32, mean: np.float32, alpha: np.float32
) -> tuple[np.float32, np.float32, np.float32]:
    """Of a rating its weight w in the matrix, its part t of the right side, and what it adds to the objective."""
    if implicit:
        return alpha * r, np.float32(1) + alpha * r, np.float32(1) + alpha * r
    t = r - mean - bias
    return np.float32(1), t, t * t


@numba.njit(**JIT)
def add(
    k_: tuple[int, ...], implicit: bool, other: I32, r: F32, Y: F32,
    mean: np.float32, alpha: np.float32, A: F32, b: F32, s: F32,
) -> tuple[np.float32, np.float32]:  # fmt: skip
    """A += sum w q q', b += sum t q, s += sum q; returns sum t and what the ratings add to the objective.

    Four ratings at a time, so that A is read and written a fourth as often; then those that are left, one at a time.
    """
    k, n, at, total, squares = len(k_), len(other), 0, np.float32(0), np.float32(0)
    width = np.int64(k + 1)
    while at + 4 <= n:
        i0, i1, i2, i3 = other[at] * width, other[at + 1] * width, other[at + 2] * width, other[at + 3] * width
        q0, q1, q2, q3 = Y[i0 : i0 + k], Y[i1 : i1 + k], Y[i2 : i2 + k], Y[i3 : i3 + k]
        w0, t0, l0 = term(implicit, r[at], Y[i0 + k], mean, alpha)
        w1, t1, l1 = term(implicit, r[at + 1], Y[i1 + k], mean, alpha)
        w2, t2, l2 = term(implicit, r[at + 2], Y[i2 + k], mean, alpha)
        w3, t3, l3 = term(implicit, r[at + 3], Y[i3 + k], mean, alpha)
        for c in range(len(b)):  # which is k, too: known in the inner loop alone, or much code is made
            c0, c1, c2, c3, o = w0 * q0[c], w1 * q1[c], w2 * q2[c], w3 * q3[c], c * k
            for d in range(k):
                A[o + d] += (c0 * q0[d] + c1 * q1[d]) + (c2 * q2[d] + c3 * q3[d])
        for d in range(k):
            b[d] += (t0 * q0[d] + t1 * q1[d]) + (t2 * q2[d] + t3 * q3[d])
            s[d] += (q0[d] + q1[d]) + (q2[d] + q3[d])
        total += (t0 + t1) + (t2 + t3)
        squares += (l0 + l1) + (l2 + l3)
        at += 4
    for p in range(at, n):
        i0 = other[p] * width
        q0 = Y[i0 : i0 + k]
        w0, t0, l0 = term(implicit, r[p], Y[i0 + k], mean, alpha)
        for c in range(len(b)):  # which is k, too: known in the inner loop alone, or much code is made
            for d in range(k):
                A[c * k + d] += w0 * q0[c] * q0[d]
        for d in range(k):
            b[d] += t0 * q0[d]
            s[d] += q0[d]
        total += t0
        squares += l0
    return total, squares
