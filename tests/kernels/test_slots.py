"""Slot kernels against their numpy references."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.kernels import slots as kernels


@settings(deadline=None)  # the first compiles
@given(st.sets(st.integers(0, 200), max_size=16), st.lists(st.integers(0, 200), max_size=20))
def test_find(held: set[int], asked: list[int]) -> None:
    row_of = np.array([*held, -1], np.int64)
    keys, places = np.full(32, -1), np.empty(32, np.int32)
    kernels.insert(keys, places, row_of[:-1], np.arange(len(held)))
    rows = np.array(asked, np.int64)
    ours, reference = np.empty_like(rows), np.empty_like(rows)
    kernels.find(keys, places, rows, ours)
    kernels.find_numpy(row_of, rows, reference)
    np.testing.assert_array_equal(ours, reference)


@settings(deadline=None)  # the first compiles
@given(st.data(), st.integers(2, 12))
def test_sweep(data: st.DataObject, n: int) -> None:
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    taken, used, kept = (np.array(data.draw(flags)) for _ in range(3))
    row_of = np.where(taken, 7, -1)
    can = int((taken & ~kept).sum())
    out = np.empty(data.draw(st.integers(0, can)), np.int64)
    hand = data.draw(st.integers(0, n - 1))
    used_, kept_, out_ = used.copy(), kept.copy(), out.copy()
    assert kernels.sweep(row_of, used, kept, hand, out) == kernels.sweep_numpy(row_of, used_, kept_, hand, out_)
    np.testing.assert_array_equal(out, out_)
    np.testing.assert_array_equal(kept, kept_)
    np.testing.assert_array_equal(used, used_)
