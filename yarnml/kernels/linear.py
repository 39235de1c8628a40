"""Linear: scores of rows under K linear functions, and what they give back to the weights; rows dense or sparse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR
from yarnml.kernels.sparse import dot, scatter

F32 = NDArray[np.float32]


def scores(X: F32 | CSR, V: F32, c: F32) -> F32:
    """Z (K, n) = (X V + c)^T of rows X (n, d), weights V (d, K), biases c (K,)."""
    Z = np.empty((V.shape[1], len(X)), np.float32)
    if isinstance(X, CSR):
        dot(X.indptr, X.indices, X.values, V, Z)
    else:
        np.matmul(V.T, X.T, out=Z)
    Z += c[:, None]
    return Z


def back(X: F32 | CSR, R: F32) -> F32:
    """X^T R^T (d, K): the sum over rows of what each of its columns has to do with R (K, n)."""
    if not isinstance(X, CSR):
        G: F32 = np.matmul(R, X).T
        return G
    out = np.zeros((X.width, len(R)), np.float32)
    scatter(X.indptr, X.indices, X.values, R, out)
    return out
