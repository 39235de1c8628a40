"""The gap is what it says: never less than what is left to the minimum, and nothing at it; screening is safe."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.linear.penalty import Penalty
from yarnml.linear.sums import Slope

N, D = 60, 10


def data(logistic: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    score = X[:, :3] @ [2.0, -1.0, 0.5] + 0.5 * rng.standard_normal(N) + 0.3
    return X, (score > 0).astype(float) if logistic else score


def slope_at(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, logistic: bool) -> Slope:
    z = X @ w + b
    p = 1 / (1 + np.exp(-z)) if logistic else z
    loss = np.logaddexp(0, z) - y * z if logistic else (y - z) ** 2 / 2
    curve = p * (1 - p) if logistic else np.ones(N)
    return Slope(float(loss.mean()), X.T @ (y - p) / N, float((y - p).mean()), float(curve.mean()))


def best_intercept(X: np.ndarray, y: np.ndarray, w: np.ndarray, logistic: bool) -> float:
    b = 0.0
    for _ in range(50):
        slope = slope_at(X, y, w, b, logistic)
        b += slope.gb / max(slope.curve, 1e-3)
    return b


def by_gradients(X: np.ndarray, y: np.ndarray, penalty: Penalty, logistic: bool) -> np.ndarray:
    """The best weights, by proximal gradient steps."""
    A = np.hstack([X, np.ones((N, 1))])
    step = N / float(np.linalg.norm(A, 2)) ** 2
    w, b = np.zeros(D), 0.0
    for _ in range(5000):
        slope = slope_at(X, y, w, b, logistic)
        u = w + step * slope.g
        w = np.sign(u) * np.maximum(np.abs(u) - step * penalty.l1, 0) / (1 + step * penalty.l2)
        b += step * slope.gb
    return w


@pytest.mark.parametrize("logistic", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.0])
def test_gap_bounds_what_is_left_and_screening_is_safe(logistic: bool, ratio: float) -> None:
    X, y = data(logistic)
    lam = 0.1
    penalty = Penalty.of(lam, ratio, np.ones(D))
    best = by_gradients(X, y, penalty, logistic)

    def value(w: np.ndarray) -> tuple[Slope, float, float]:
        b = best_intercept(X, y, w, logistic)
        slope = slope_at(X, y, w, b, logistic)
        return slope, b, slope.f + penalty(w)

    slope, b, least = value(best)
    assert penalty.gap(slope, best, b, logistic)[0] == pytest.approx(0, abs=1e-6)
    rng = np.random.default_rng(1)
    for far in (1.0, 0.1, 0.001):
        w = best + far * rng.standard_normal(D) * (rng.random(D) < 0.5)
        slope, b, objective = value(w)
        gap, c = penalty.gap(slope, w, b, logistic)
        assert gap >= objective - least - 1e-7
        zero = penalty.zero(slope, w, gap, c, (X**2).mean(axis=0), logistic)
        assert not best[zero].any()
    if ratio == 1:
        assert zero.any()
