"""Glimpse: the first rows of a data set, looked at before anything starts: what they can't be is said at once."""

from __future__ import annotations

from collections.abc import Callable

from hdfs_io import Dataset, Rows, load
from yarnml.app.located import located

FEW = 100


def glimpse(data: Dataset, look: Callable[[Rows], object] = lambda _: None) -> None:
    """Have `look` raise RowError for one of the first rows; it is told with its place.

    Raises UsageError or DataError. What is wrong further down is found once the run reads it.
    """
    rows = load(data, 0, min(FEW, data.rows))
    with located(data, rows.number):
        look(rows)
