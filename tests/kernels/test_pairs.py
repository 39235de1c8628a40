"""The kernels of pairs against their numpy references."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.kernels import pairs

N = 30


@settings(deadline=None)  # the first compiles
@given(st.lists(st.sets(st.integers(0, N - 1), max_size=8), max_size=4), st.sampled_from([1, 8, 1024]))
def test_look_and_learn(sets: list[set[int]], slots: int) -> None:
    """Whatever the size of the table, what it says of a pair is true."""
    truth = np.random.default_rng(1).integers(0, 2, (N, N)).astype(np.int8)
    truth = np.tril(truth, -1) + np.tril(truth, -1).T
    tables = [(np.full(slots, pairs.EMPTY, np.int64), np.zeros(slots, np.int8)) for _ in range(2)]
    for numbers in (np.array(list(each), np.int64) for each in sets):
        found = pairs.look(*tables[0], N, numbers)
        np.testing.assert_array_equal(found, pairs.look_numpy(*tables[1], N, numbers))
        real = truth[np.ix_(numbers, numbers)]
        assert ((found == real) | (found == pairs.UNKNOWN)).all()
        pairs.learn(*tables[0], N, numbers, real)
        pairs.learn_numpy(*tables[1], N, numbers, real)
        for ours, reference in zip(*tables, strict=True):
            np.testing.assert_array_equal(ours, reference)


@settings(deadline=None)
@given(st.integers(0, 9), st.integers(0, 999))
def test_apart(k: int, seed: int) -> None:
    found = np.random.default_rng(seed).integers(0, 2, (k, k)).astype(np.int8)
    found |= found.T
    np.fill_diagonal(found, pairs.NO)
    by = pairs.apart(found)
    np.testing.assert_array_equal(by, pairs.apart_numpy(found))
    kept = by == np.arange(k)
    assert not found[np.ix_(kept, kept)].any()
    assert all(kept[by[a]] and found[a, by[a]] for a in np.flatnonzero(~kept)), "nobody is put off for nothing"
