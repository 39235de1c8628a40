"""Slope: a linear model's loss on rows and its gradient, and products with its Hessian; rows sparse or dense.

    f(w, b) = sum_i a_i l(y_i, z_i),   z = X w + b,   l = (y - z)^2 / 2   or   log(1 + e^z) - y z   for y in {0, 1}

Row i's *residual* is r_i = -a_i dl/dz, its *curvature* h_i = a_i d2l/dz2; a_i is its weight, 1 where `a` is (0,).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io import CSR

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
FAST = {"contract", "nsz", "reassoc"}


def slope_reference(X: F64, y: F32, a: F32, w: F64, b: float, logistic: bool, h: F32, g: F64) -> tuple[float, ...]:
    """What `slope` does to all rows of a dense X, in numpy."""
    z = X @ w + b
    weight = a.astype(np.float64) if len(a) else np.ones(len(y))
    if logistic:
        p = 1 / (1 + np.exp(-z))
        loss, r, curve = np.logaddexp(0, z) - y * z, y - p, p * (1 - p)
    else:
        loss, r, curve = (y - z) ** 2 / 2, y - z, np.ones(len(y))
    h[:] = weight * curve
    g += X.T @ (weight * r)
    return float(weight @ loss), float(weight @ r), float(weight @ curve)


def slope(
    X: F32 | CSR, y: F32, a: F32, w: F64, b: float, logistic: bool, h: F32, g: F64, lo: int, hi: int
) -> tuple[float, float, float]:
    """Of rows [lo, hi) of X (n, d): their f, the sum of their r, the sum of their h; h (n,) is filled in there, and
    g (d,) += X' r."""
    if isinstance(X, CSR):
        return _slope_sparse(X.indptr, X.indices, X.values, y, a, w, b, logistic, h, g, lo, hi)
    return _slope_dense(X, y, a, w, b, logistic, h, g, lo, hi)


def bend(X: F32 | CSR, h: F32, u: F32, c: float, out: F32, lo: int, hi: int) -> float:
    """out (d,) += X' (h (X u + c)) of rows [lo, hi); returns the sum of h (X u + c): a Hessian product's parts.

    In float32, whose arrays stay in the cache: it serves directions, not what is compared with their result.
    """
    if isinstance(X, CSR):
        return float(_bend_sparse(X.indptr, X.indices, X.values, h, u, c, out, lo, hi))
    return float(_bend_dense(X, h, u, c, out, lo, hi))


def powers(X: F32 | CSR, h: F32, first: F64, second: F64, lo: int, hi: int) -> None:
    """first (d,) += X' h, second (d,) += (X * X)' h of rows [lo, hi); h (n,), or (0,) for ones."""
    if isinstance(X, CSR):
        _powers_sparse(X.indptr, X.indices, X.values, h, first, second, lo, hi)
    else:
        _powers_dense(X, h, first, second, lo, hi)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST, inline="always")
def _terms(y: float, z: float, logistic: bool) -> tuple[float, float, float]:
    """(l, -dl/dz, d2l/dz2), without overflow whatever z is."""
    if not logistic:
        return 0.5 * (y - z) * (y - z), y - z, 1.0
    e = np.exp(-abs(z))
    q = 1.0 / (1.0 + e)
    p = q if z >= 0 else 1.0 - q
    return np.log1p(e) + max(z, 0.0) - y * z, y - p, q * (1.0 - q)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _slope_sparse(
    indptr: Any, indices: Any, values: Any, y: F32, a: F32, w: F64, b: float, logistic: bool, h: F32, g: F64,
    lo: int, hi: int,
) -> tuple[float, float, float]:  # fmt: skip
    f = total = curve = 0.0
    for i in range(lo, hi):
        z = b
        for p in range(indptr[i], indptr[i + 1]):
            z += values[p] * w[np.uint32(indices[p])]
        loss, r, c = _terms(np.float64(y[i]), z, logistic)
        weight = np.float64(a[i]) if len(a) else 1.0
        r *= weight
        c *= weight
        f += weight * loss
        total += r
        curve += c
        h[i] = c
        for p in range(indptr[i], indptr[i + 1]):
            g[np.uint32(indices[p])] += values[p] * r
    return f, total, curve


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _slope_dense(
    X: F32, y: F32, a: F32, w: F64, b: float, logistic: bool, h: F32, g: F64, lo: int, hi: int
) -> tuple[float, float, float]:
    f = total = curve = 0.0
    for i in range(lo, hi):
        x = X[i]
        z = b
        for j in range(len(w)):
            z += x[j] * w[j]
        loss, r, c = _terms(np.float64(y[i]), z, logistic)
        weight = np.float64(a[i]) if len(a) else 1.0
        r *= weight
        c *= weight
        f += weight * loss
        total += r
        curve += c
        h[i] = c
        for j in range(len(w)):
            g[j] += x[j] * r
    return f, total, curve


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _bend_sparse(indptr: Any, indices: Any, values: Any, h: F32, u: F32, c: float, out: F32, lo: int, hi: int) -> float:
    total = 0.0
    for i in range(lo, hi):
        z = c
        for p in range(indptr[i], indptr[i + 1]):
            z += values[p] * u[np.uint32(indices[p])]
        z *= h[i]
        total += z
        r = np.float32(z)
        for p in range(indptr[i], indptr[i + 1]):
            out[np.uint32(indices[p])] += values[p] * r
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _bend_dense(X: F32, h: F32, u: F32, c: float, out: F32, lo: int, hi: int) -> float:
    total = 0.0
    for i in range(lo, hi):
        x = X[i]
        z = c
        for j in range(len(u)):
            z += x[j] * u[j]
        z *= h[i]
        total += z
        r = np.float32(z)
        for j in range(len(u)):
            out[j] += x[j] * r
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _powers_sparse(indptr: Any, indices: Any, values: Any, h: F32, first: F64, second: F64, lo: int, hi: int) -> None:
    for i in range(lo, hi):
        c = np.float64(h[i]) if len(h) else 1.0
        for p in range(indptr[i], indptr[i + 1]):
            j, x = np.uint32(indices[p]), np.float64(values[p])
            first[j] += c * x
            second[j] += c * x * x


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _powers_dense(X: F32, h: F32, first: F64, second: F64, lo: int, hi: int) -> None:
    for i in range(lo, hi):
        c = np.float64(h[i]) if len(h) else 1.0
        for j in range(len(first)):
            x = np.float64(X[i, j])
            first[j] += c * x
            second[j] += c * x * x
