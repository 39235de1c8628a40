"""Sureness: how much a score says about a row's class, as one number that leaves the classes' order as it is.

    minimise  1/n sum_i -log softmax(a z_i)[y_i]    over a > 0

where z_i are row i's scores, of two classes (0, z_i): Platt's sigmoid without its shift, so that a probability is above
1/2 where a score is above 0 [Platt 1999, Probabilistic outputs for support vector machines; Guo et al. 2017, On
calibration of modern neural networks, section 4.2].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, joined
from yarnml.app import Worker
from yarnml.kernels.linear import scores
from yarnml.kernels.uniform import uniform

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
ROWS = 20_000  # that it is judged by
LOWEST, HIGHEST, HALVINGS = 1e-4, 1e4, 30
DRAW = 0  # the purpose of the random numbers


def score(X: F32 | CSR, w: F32) -> F32:
    """Z (K, n), of two classes (0, z): scores under the weights w (d + 1, 1 or K), the last the bias."""
    Z = scores(X, w[:-1], w[-1])
    return Z if len(Z) > 1 else np.vstack([np.zeros_like(Z), Z])


def sureness(me: Worker, w: F32) -> float:
    """a, of a sample of all workers' rows; the slope of the objective in a only rises, so halving finds its zero."""
    chance = ROWS / max(1, me.rows)
    drawn = [rows.take(np.flatnonzero(uniform(me.seed, DRAW, rows.number) < chance)) for rows in me.share.chunks()]
    rows = joined(drawn)
    assert rows.y is not None
    Z = score(rows.X, w).astype(np.float64)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight.astype(np.float64)
    low, high = LOWEST, HIGHEST
    for _ in range(HALVINGS):
        a = float(np.sqrt(low * high))
        low, high = (low, a) if float(me.sum(slope(a, Z, rows.y, weight))) > 0 else (a, high)
    return low


def slope(a: float, Z: F64, y: NDArray[Any], weight: F64) -> float:
    """The objective's derivative in a, over these rows, times n; scores Z (K, n)."""
    with np.errstate(under="ignore"):
        P = np.exp(a * (Z - Z.max(axis=0)))
    expected = (P * Z).sum(axis=0) / P.sum(axis=0)
    return float(weight @ (expected - Z[y, np.arange(len(y))]))
