"""Classifiers: one a class against all others, linear in a document's topic shares, with a Gaussian posterior.

Given topics and lambda, eta_j ~ N(mu_j, Sigma_j) [Zhu, Chen, Perkins, Zhang 2014], with

    Sigma_j^-1 = I / nu2 + sum_d c^2 z_d z_d' / lambda_dj
    mu_j = Sigma_j  sum_d c y_dj (lambda_dj + c ell) / lambda_dj  z_d
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]


def moments(share: F64, rate: F32, side: F64, c: F32, ell: float) -> F64:
    """The sums over documents of one class's posterior, (K, K + 1): those of Sigma^-1, and of Sigma^-1 mu last.

    share (docs, K) = z, rate (docs,) = 1 / lambda, side (docs,) = y, c (docs,) the cost.
    """
    A = (share * (c * c * rate)[:, None]).T @ share
    b = share.T @ np.where(rate > 0, side * c * (1 + c * np.float32(ell) * rate), 0.0)
    return np.hstack([A, b[:, None]])


def draw(M: F64, nu2: float, normal: F64) -> F64:
    """eta (K, L) of the posterior, from moments M (L, K, K + 1) and numbers (K, L) that are standard normal."""
    K, L = normal.shape
    eta = np.empty((K, L))
    for j in range(L):
        R: Any = np.linalg.cholesky(np.eye(K) / nu2 + M[j, :, :K])  # Sigma^-1 = R R'
        eta[:, j] = np.linalg.solve(R.T, np.linalg.solve(R, M[j, :, K]) + normal[:, j])
    return eta
