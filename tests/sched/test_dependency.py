"""Dependency: correlations are numpy's, each asked for once while it is remembered, within a bound of bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array, random_array

from yarnml.sched import Independent
from yarnml.sched.dependency import Dependency, correlation
from yarnml.sched.picks import Index

RNG = np.random.default_rng(1)
X = RNG.standard_normal((50, 12)) + 2 * np.repeat(RNG.standard_normal((50, 3)), 4, axis=1)


class Asked:
    """Columns of X, and how often they were asked for."""

    def __init__(self) -> None:
        self.asked: list[Index] = []

    def columns(self, numbers: Index) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        self.asked.append(numbers)
        return X[:, numbers]


def test_correlation_is_numpys() -> None:
    np.testing.assert_allclose(correlation(X), np.abs(np.corrcoef(X.T)), atol=1e-12)


def test_columns_without_variance_or_rows_correlate_with_none() -> None:
    constant = np.column_stack([np.ones(5), np.arange(5.0), np.arange(5.0)])
    np.testing.assert_allclose(correlation(constant), [[0, 0, 0], [0, 1, 1], [0, 1, 1]], atol=1e-12)
    assert not correlation(np.zeros((0, 3))).any()


def test_sparse_columns_correlate_as_dense_ones_if_they_meet_in_three_rows() -> None:
    found = random_array((40, 30), density=0.25, rng=RNG, format="csc")
    holds = (found != 0).toarray().astype(int)
    met = holds.T @ holds >= 3
    assert 100 < met.sum() < 800
    np.testing.assert_allclose(correlation(found), np.where(met, correlation(found.toarray()), 0), atol=1e-12)
    assert not correlation(csc_array((0, 3))).any()


@settings(deadline=None)
@given(st.lists(st.permutations(range(12)), max_size=5), st.integers(1, 12), st.sampled_from([0, 9, 40, 1 << 20]))
def test_kept_ones_are_apart_and_none_is_put_off_for_nothing(orders: list[list[int]], k: int, memory: int) -> None:
    truth = np.abs(np.corrcoef(X.T)) > 0.3
    asked = Asked()
    dependency = Dependency(Independent(asked.columns, rho=0.3, memory=memory), 12)
    for order in orders:
        candidates = np.array(order[:k])
        by = dependency.judge(candidates)
        kept = by == np.arange(len(by))
        assert not (truth[np.ix_(candidates[kept], candidates[kept])] ^ np.eye(kept.sum(), dtype=bool)).any()
        for at in np.flatnonzero(~kept):
            assert kept[by[at]]
            assert truth[candidates[at], candidates[by[at]]]


def test_what_is_known_is_not_asked_for_again() -> None:
    asked = Asked()
    dependency = Dependency(Independent(asked.columns), 12)
    dependency.judge(np.arange(6))
    dependency.judge(np.array([5, 3, 1]))
    assert len(asked.asked) == 1
    dependency.judge(np.array([5, 9]))
    assert asked.asked[-1].tolist() == [5, 9]


@pytest.mark.parametrize("memory", [1, 1000, 1 << 16])
def test_memory_is_bounded(memory: int) -> None:
    dependency = Dependency(Independent(Asked().columns, memory=memory), 10**6)
    assert dependency._keys.nbytes + dependency._says.nbytes <= max(9, memory)
