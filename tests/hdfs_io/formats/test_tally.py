"""A tally of sparse rows says what all of them hold, however they come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdfs_io import labels
from hdfs_io.formats import tally
from hdfs_io.formats.tally import Counts
from hdfs_io.labels import MOST_LABELS

LABELS = st.sampled_from([0.0, 1.0, -1.0, 2.5, 1e300, np.nan, np.inf])


@given(st.lists(st.lists(LABELS)))
def test_labels_are_counted_as_all_at_once(parts: list[list[float]]) -> None:
    counts = Counts.none()
    for part in parts:
        counts = counts.more(np.array(part, np.float64))
    y = np.array([value for part in parts for value in part], np.float64)
    values, times = np.unique(y[np.isfinite(y)], return_counts=True)
    assert counts.values.tolist() == values.tolist()
    assert counts.counts.tolist() == times.tolist()


def test_of_too_many_labels_some_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tally, labels):
        monkeypatch.setattr(module, "MOST_LABELS", 5)
    counts = Counts.none()
    for lo in range(0, 100, 10):
        counts = counts.more(np.arange(lo, lo + 10, dtype=np.float64) + 0.5 * (lo == 50))
    assert len(counts.values) == 6 < MOST_LABELS
    assert (counts.values[0], counts.values[-1]) == (0, 99)
    assert (counts.values % 1 != 0).any()
    assert (np.diff(counts.values) > 0).all()
