"""The softmax kernels equal their numpy references."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.kernels.softmax import residual, residual_reference, softmax

ONES = np.zeros(0, np.float32)


def scores(K: int, n: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K * n)
    return (spread * rng.standard_normal((K, n))).astype(np.float32), rng.integers(0, K, n).astype(np.int32)


@pytest.mark.parametrize(("K", "n"), [(2, 1), (3, 7), (10, 1000), (50, 33)])
@pytest.mark.parametrize("spread", [0.1, 5.0, 40.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_residual_equals_numpy(K: int, n: int, spread: float, weighted: bool) -> None:
    Z, y = scores(K, n, spread)
    w = np.random.default_rng(1).random(n).astype(np.float32) if weighted else ONES
    ours, theirs = Z.copy(), Z.copy()
    # the reference takes log(0) for a class that the scores rule out; keep clear of it
    with np.errstate(divide="ignore"):
        expected = residual_reference(theirs, y, w)
    loss = residual(ours, y, w)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    if np.isfinite(expected):
        assert loss == pytest.approx(expected, rel=1e-4)
    assert np.isfinite(loss)


def test_softmax_is_rows_of_probabilities() -> None:
    Z, _ = scores(7, 100, 5.0)
    P = np.empty((100, 7), np.float32)
    expected = np.exp(Z - Z.max(axis=0)) / np.exp(Z - Z.max(axis=0)).sum(axis=0)
    softmax(Z.copy(), P)
    np.testing.assert_allclose(P, expected.T, atol=1e-6)


def test_scores_too_far_apart_for_exp_are_zero_and_one() -> None:
    Z = np.array([[1e30, -1e30], [0.0, 0.0]], np.float32)
    P = np.empty((2, 2), np.float32)
    softmax(Z, P)
    np.testing.assert_allclose(P, [[1, 0], [0, 1]], atol=1e-30)


def test_nan_scores_stay_nan() -> None:
    P = np.empty((1, 2), np.float32)
    softmax(np.array([[np.nan], [0.0]], np.float32), P)
    assert np.isnan(P).any()


def test_no_rows() -> None:
    assert residual(np.zeros((3, 0), np.float32), np.zeros(0, np.int32), ONES) == 0
