"""Samples depend on row numbers alone, and spans cover all rows once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hdfs_io import Sample, span


@given(st.integers(0, 10**12), st.integers(1, 100))
def test_spans_cover_all_rows_once(rows: int, workers: int) -> None:
    cuts = [span(rows, worker, workers) for worker in range(workers)]
    assert [cuts[0][0], *(hi for _, hi in cuts)] == [*(lo for lo, _ in cuts), rows]


def test_a_mask_does_not_depend_on_where_it_begins() -> None:
    sample = Sample(5, 0.0, 0.2)
    whole = sample.mask(0, 1000)
    assert np.array_equal(np.concatenate([sample.mask(0, 333), sample.mask(333, 1000)]), whole)
    assert sample.count(1000) == whole.sum()


def test_a_fraction_is_kept_and_the_rest_is_the_other_sample() -> None:
    held, rest = Sample(5, 0.0, 0.2).mask(0, 100_000), Sample(5, 0.2, 1.0).mask(0, 100_000)
    assert np.array_equal(held, ~rest)
    assert abs(held.mean() - 0.2) < 5 * (0.2 * 0.8 / 100_000) ** 0.5
    assert not np.array_equal(held, Sample(6, 0.0, 0.2).mask(0, 100_000))


def test_all_keeps_all_without_looking() -> None:
    assert Sample.all().mask(3, 8).all()
    assert Sample.all().count(10**15) == 10**15
