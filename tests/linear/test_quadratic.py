"""The minimum of a quadratic under a penalty meets its conditions, whatever columns look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.linear.grams import Grams
from yarnml.linear.quadratic import minimum


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 30), st.sampled_from([0.0, 0.01, 0.3, 50.0]))
def test_conditions_hold(seed: int, m: int, n: int, lam: float) -> None:
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, m))
    A[:, 0] = A[:, -1]  # two columns alike
    A[:, rng.random(m) < 0.1] = 0
    start = rng.standard_normal(m) * (rng.random(m) < 0.5) * A.any(axis=0)
    G, q, l2 = A.T @ A / n, A.T @ rng.standard_normal(n) / n, np.full(m, 0.1)
    w = minimum(G, q, start, np.full(m, lam), l2, 1e-16)
    pull = q - G @ (w - start) - l2 * w
    assert np.abs(pull[w != 0] - lam * np.sign(w[w != 0])).max(initial=0) < 1e-6
    assert (np.abs(pull[w == 0]) <= lam + 1e-6).all()


def test_without_any_penalty_it_is_least_squares() -> None:
    rng = np.random.default_rng(0)
    A, y, none = rng.standard_normal((20, 4)), rng.standard_normal(20), np.zeros(4)
    w = minimum(A.T @ A, A.T @ y, none, none, none, 1e-12)
    np.testing.assert_allclose(w, np.linalg.lstsq(A, y)[0], atol=1e-10)


@pytest.mark.parametrize("lasting", [True, False])
def test_grams_among_any_picks_are_those_of_all_columns(lasting: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 12)) + 1
    X[:, 7] = 3  # doesn't vary
    whole, ones, centred = X.T @ X / 30, X.mean(axis=0), np.cov(X.T, bias=True)
    grams = Grams(lasting, most=9)
    for picks in ([3, 1], [1, 5, 7], [0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11], []):
        at = np.array(picks, np.int64)
        columns, old = grams.wanted(at)
        assert old == 0 or lasting
        new = columns[old:]
        assert (np.diff(new) > 0).all()
        rows = np.hstack([whole[np.ix_(new, columns)], ones[new, None]])
        rows[:, old:-1] = np.triu(rows[:, old:-1])
        grams.grow(columns, rows)
        G, x = grams.among(at, 1.0)
        np.testing.assert_allclose(G, centred[np.ix_(at, at)], atol=1e-12)
        np.testing.assert_allclose(x, ones[at])
        np.testing.assert_allclose(grams.among(at, 0.0)[0], whole[np.ix_(at, at)])
