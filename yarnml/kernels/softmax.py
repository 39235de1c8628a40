"""Softmax: class probabilities of scores, and what they miss of the labels. Scores lie class by class, (K, n)."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

F = np.float32
# reassociation lets the sum over rows use vectors; not-a-number must stay one, so `nnan` isn't among these
FAST = {"contract", "nsz", "reassoc"}


def residual_reference(Z: NDArray[np.float32], y: NDArray[np.int32], w: NDArray[np.float32]) -> float:
    """What `residual` does, in numpy."""
    with np.errstate(under="ignore"):
        scores = Z.astype(np.float64) - Z.max(axis=0)
        P = np.exp(scores) / np.exp(scores).sum(axis=0)
    rows = np.arange(len(y))
    weight = w if len(w) else np.ones(len(y), np.float32)
    loss = -float(np.log(P[y, rows]) @ weight)
    P[y, rows] -= 1
    Z[:] = P * weight
    return loss


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def residual(Z: NDArray[np.float32], y: NDArray[np.int32], w: NDArray[np.float32]) -> float:
    """Turn scores Z (K, n) in place into w (softmax(Z) - onehot(y)); returns the sum of w (-log softmax(Z)[y]).

    y (n,) class numbers; w (n,) weights, or (0,) for all ones.
    """
    K, n = Z.shape
    loss = 0.0
    for i in range(n):
        loss -= Z[y[i], i] if len(w) == 0 else w[i] * Z[y[i], i]
    top, inverse = np.empty(n, np.float32), np.empty(n, np.float32)
    total = _exponentials(Z, top, inverse)
    for i in range(n):
        loss += (top[i] + np.log(total[i])) if len(w) == 0 else w[i] * (top[i] + np.log(total[i]))
    for k in range(K):
        for i in range(n):
            Z[k, i] *= inverse[i]
    for i in range(n):
        Z[y[i], i] -= F(1)
    if len(w):
        for k in range(K):
            for i in range(n):
                Z[k, i] *= w[i]
    return loss


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def softmax(Z: NDArray[np.float32], P: NDArray[np.float32]) -> None:
    """Write the class probabilities of scores Z (K, n), which are used up, to P (n, K)."""
    K, n = Z.shape
    top, inverse = np.empty(n, np.float32), np.empty(n, np.float32)
    _exponentials(Z, top, inverse)
    for i in range(n):
        for k in range(K):
            P[i, k] = Z[k, i] * inverse[i]


@intrinsic
def _as_float(_typing: Any, _bits: Any) -> Any:
    """The float32 of these 32 bits."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.int32), code


@njit(inline="always")
def _exp(x):  # type: ignore[no-untyped-def]
    """e^x for x <= 0, within 2e-7 of itself; without a call, so that LLVM makes vectors of it (Cephes' expf)."""
    x = max(x, F(-87.0))  # below, the result would be denormal
    n = np.floor(x * F(1.44269504) + F(0.5))
    r = x - n * F(0.693359375) + n * F(2.12194440e-4)  # ln 2 in two parts keeps r exact
    p = F(1.9875691500e-4)
    p = p * r + F(1.3981999507e-3)
    p = p * r + F(8.3334519073e-3)
    p = p * r + F(4.1665795894e-2)
    p = p * r + F(1.6666665459e-1)
    p = p * r + F(5.0000001201e-1)
    return (p * r * r + r + F(1)) * _as_float((np.int32(n) + np.int32(127)) << np.int32(23))  # type: ignore[call-arg]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _exponentials(Z, top, inverse):  # type: ignore[no-untyped-def]
    """Z becomes exp(Z - top), top (n,) the largest score of each row; returns their sums, and 1 / sum in inverse."""
    K, n = Z.shape
    total = np.zeros(n, np.float32)
    for i in range(n):
        top[i] = Z[0, i]
    for k in range(1, K):
        for i in range(n):
            top[i] = max(top[i], Z[k, i])
    for k in range(K):
        for i in range(n):
            e = _exp(Z[k, i] - top[i])
            Z[k, i] = e
            total[i] += e
    for i in range(n):
        inverse[i] = F(1) / total[i]
    return total
