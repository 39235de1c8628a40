"""The loss's kernels equal numpy, on rows dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import CSR
from yarnml.kernels.slope import bend, powers, slope, slope_reference

N, D = 41, 7
NONE = np.zeros(0, np.float32)


def case(sparse: bool, weighted: bool) -> tuple[np.ndarray, np.ndarray | CSR, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)).astype(np.float32)
    X[rng.random(X.shape) < 0.6] = 0
    rows, columns = np.nonzero(X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=N))]).astype(np.int64)
    S = CSR(indptr, columns.astype(np.int32), X[rows, columns], D)
    a = rng.random(N).astype(np.float32) if weighted else NONE
    return X.astype(np.float64), S if sparse else X, rng.integers(0, 2, N).astype(np.float32), a, rng.standard_normal(D)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("logistic", [False, True])
def test_slope_equals_numpy(sparse: bool, weighted: bool, logistic: bool) -> None:
    X, rows, y, a, w = case(sparse, weighted)
    h, g, H, G = np.empty(N, np.float32), np.zeros(D), np.empty(N, np.float32), np.zeros(D)
    parts = [slope(rows, y, a, w, 0.3, logistic, h, g, lo, hi) for lo, hi in ((0, 11), (11, 11), (11, N))]
    np.testing.assert_allclose(np.sum(parts, axis=0), slope_reference(X, y, a, w, 0.3, logistic, H, G), rtol=1e-10)
    np.testing.assert_allclose(g, G, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(h, H, rtol=1e-6)


@pytest.mark.parametrize("z", [-800.0, -40.0, 40.0, 800.0])
def test_far_scores_neither_overflow_nor_lose_the_loss(z: float) -> None:
    h, g, X = np.empty(1, np.float32), np.zeros(1), np.ones((1, 1), np.float32)
    for y in (0.0, 1.0):
        f, r, curve = slope(X, np.array([y], np.float32), NONE, np.zeros(1), z, True, h, g, 0, 1)
        assert f == pytest.approx(max(z, 0) - y * z, abs=1e-16)
        assert r == pytest.approx(y - (z > 0), abs=1e-16)
        assert 0 <= curve < 1e-16


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_bend_and_powers_equal_numpy(sparse: bool, weighted: bool) -> None:
    X, rows, _, a, u = case(sparse, weighted)
    h = a if weighted else np.ones(N, np.float32)
    out, first, second = np.zeros(D, np.float32), np.zeros(D), np.zeros(D)
    u = u.astype(np.float32)
    total = bend(rows, h, u, 0.5, out, 0, 20) + bend(rows, h, u, 0.5, out, 20, N)
    powers(rows, a, first, second, 0, N)
    z = h * (X @ u + 0.5)
    assert total == pytest.approx(z.sum(), rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(out, X.T @ z, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(first, X.T @ h, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(second, (X**2).T @ h, rtol=1e-9, atol=1e-12)
