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
import scipy.linalg.cython_blas  # noqa: F401 (numba's products; loaded here, before the threads of BLAS are bounded)
from numpy.typing import NDArray

from yarnml.app import Worker

from .cholesky import back, forward
from .factors import Factors
from .method import Method, Penalty
from .sides import Ratings, Side

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
AT_ONCE = 256  # ratings of one row whose sums are made at a time
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
            some = (side.indptr, side.other, side.r, own, Y, G, self._m, self._implicit)
            return float(half(*some, mean, self._lam, self._alpha, lo, hi))

        loss = float(sum(side.each(self._me, part)))
        side.share(self._me, X)
        return loss


@numba.njit(**JIT)
def half(
    indptr: I64, other: I32, r: F32, X: F32, Y: F32, G: F32, m: int, implicit: bool,
    mean: np.float32, lam: np.float32, alpha: np.float32, lo: int, hi: int,
) -> float:  # fmt: skip
    """Rows [lo, hi) of X (n, k + 1) given Y (n', k + 1). Returns what they add to the objective.

    `m`: k + 1 with biases, else k. G (k, k) is what each row's matrix begins with. Of the rows (q, 1, t) of a user's
    ratings one product by BLAS gives all sums: the bordered matrix, its right side, and sum t^2.
    """
    k = Y.shape[1] - 1
    Z, S = np.empty((AT_ONCE, k + 2), np.float32), np.empty((k + 2, k + 2), np.float32)
    part, A, x, loss = np.empty_like(S), np.empty((m, m), np.float32), np.empty(m, np.float32), 0.0
    for u in range(lo, hi):
        begin, end = indptr[u], indptr[u + 1]
        X[u] = 0
        if begin == end:
            continue
        S[:] = 0
        S[:k, :k] = G
        for at in range(begin, end, AT_ONCE):
            n = min(AT_ONCE, end - at)
            loss += laid(other[at : at + n], r[at : at + n], Y, implicit, mean, alpha, Z)
            np.dot(Z[:n].T, Z[:n], part)
            S += part
        penalty = lam if implicit else lam * np.float32(end - begin)
        for i in range(m):
            A[i] = S[i, :m]
            A[i, i] += penalty
            x[i] = S[i, k + 1]
        loss -= forward(A, x)
        back(A, x)
        X[u, :m] = x
    return loss


@numba.njit(**JIT)
def laid(other: I32, r: F32, Y: F32, implicit: bool, mean: np.float32, alpha: np.float32, Z: F32) -> float:
    """The rows (q, 1, t) of these ratings, or (w q, w, c / w) with w^2 = alpha r; returns sum t^2, or sum c."""
    k, total = Y.shape[1] - 1, np.float32(0)
    for p in range(len(other)):
        q, w, t = Y[other[p]], np.float32(1), np.float32(0)
        if implicit:
            w = np.sqrt(alpha * r[p])
            t = (w * w + 1) / w if w > 0 else np.float32(0)
            total += w * t
        else:
            t = r[p] - mean - q[k]
            total += t * t
        for c in range(k):
            Z[p, c] = w * q[c]
        Z[p, k], Z[p, k + 1] = w, t
    return float(total)
