"""The CSR kernels equal their numpy references, and dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import CSR
from yarnml.kernels.linear import back, scores
from yarnml.kernels.sparse import dot, dot_reference, largest, scatter, scatter_reference, squares


@pytest.fixture
def X() -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((37, 11)).astype(np.float32)
    X[rng.random(X.shape) < 0.7] = 0
    X[5] = 0  # a row without values
    return X


def csr(X: np.ndarray) -> CSR:
    rows, columns = np.nonzero(X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))]).astype(np.int64)
    return CSR(indptr, columns.astype(np.int32), X[rows, columns], X.shape[1])


def test_dot_equals_numpy(X: np.ndarray) -> None:
    S, V = csr(X), np.random.default_rng(1).standard_normal((11, 3)).astype(np.float32)
    ours, theirs = np.empty((3, 37), np.float32), np.empty((3, 37), np.float32)
    dot(S.indptr, S.indices, S.values, V, ours)
    dot_reference(S.indptr, S.indices, S.values, V, theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.T, X @ V, rtol=1e-5, atol=1e-6)


def test_scatter_equals_numpy(X: np.ndarray) -> None:
    S, R = csr(X), np.random.default_rng(1).standard_normal((3, 37)).astype(np.float32)
    ours, theirs = np.ones((11, 3), np.float32), np.ones((11, 3), np.float32)
    scatter(S.indptr, S.indices, S.values, R, ours)
    scatter_reference(S.indptr, S.indices, S.values, R, theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_sparse_and_dense_rows_have_the_same_scores(X: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    V, c = rng.standard_normal((11, 4)).astype(np.float32), rng.standard_normal(4).astype(np.float32)
    Z = scores(X, V, c)
    np.testing.assert_allclose(scores(csr(X), V, c), Z, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(back(csr(X), Z), back(X, Z), rtol=1e-4, atol=1e-4)


def test_squares_and_largest(X: np.ndarray) -> None:
    S, out, top = csr(X), np.empty(37, np.float32), np.zeros(11)
    squares(S.indptr, S.values, out)
    largest(S.indices, S.values, top)
    np.testing.assert_allclose(out, (X**2).sum(axis=1), rtol=1e-5)
    np.testing.assert_array_equal(top, abs(X).max(axis=0))
