"""The Gram kernel equals numpy, and coordinate descent finds the minimum that its reference finds."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import CSR
from yarnml.kernels.descent import descend, descend_reference
from yarnml.kernels.gram import gram, gram_reference


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("old", [0, 2, 5])
def test_gram_equals_numpy(sparse: bool, weighted: bool, old: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 12)).astype(np.float32)
    X[rng.random(X.shape) < 0.5] = 0
    rows, at = np.nonzero(X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=50))]).astype(np.int64)
    S = CSR(indptr, at.astype(np.int32), X[rows, at], 12)
    h = rng.random(50).astype(np.float32) if weighted else np.zeros(0, np.float32)
    columns = np.concatenate([[9, 0, 11, 4, 1][:old], [2, 3, 5, 8, 10]]).astype(np.int64)
    place = np.full(12, -1, np.int32)
    place[columns] = np.arange(len(columns))
    G, R = np.zeros((5, old + 6)), np.zeros((5, old + 6))
    for lo, hi in ((0, 20), (20, 50)):
        gram(S if sparse else X, h, columns, place, old, G, lo, hi)
    gram_reference(X.astype(np.float64), h, columns, old, R)
    upper = np.hstack([np.ones((5, old)), np.triu(np.ones((5, 5))), np.ones((5, 1))]) > 0
    np.testing.assert_allclose(G[upper], R[upper], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("l1", [0.0, 0.5, 100.0])
def test_descent_equals_its_reference(l1: float) -> None:
    rng = np.random.default_rng(1)
    A = rng.standard_normal((30, 8))
    A[:, 3] = 0
    G, q, start = A.T @ A, 10 * rng.standard_normal(8), rng.standard_normal(8)
    penalty, ridge = np.full(8, l1), np.full(8, 0.1)
    ours, theirs, qo, qt = start.copy(), start.copy(), q.copy(), q.copy()
    descend(G, qo, ours, penalty, ridge, 1e-24, 10_000)
    descend_reference(G, qt, theirs, penalty, ridge, 1e-24, 10_000)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    np.testing.assert_allclose(qo, q - G @ (ours - start), atol=1e-8)
    assert ours[3] == start[3]
    inside = np.abs(qo - penalty * np.sign(ours) - ridge * ours)
    inside[3] = 0
    assert (inside[ours != 0] < 1e-8).all()
    assert (np.abs(qo)[ours == 0] <= l1 + 1e-8).all()


def test_descent_ends_after_its_sweeps() -> None:
    G, q = np.array([[1.0, 0.99999], [0.99999, 1.0]]), np.array([1.0, -1.0])
    assert descend(G, q, np.zeros(2), np.zeros(2), np.zeros(2), 0.0, 3) == 3
