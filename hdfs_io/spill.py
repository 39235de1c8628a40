"""Spill: rows beyond memory, put in an order of their own on disk: sorted in runs, then merged, as large sorts do."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io.pile import Pile
from hdfs_io.rows import Rows, joined


@final
class Spill:
    """Takes rows in the data set's order, gives them in another.

    Holds 4 bytes a row in memory, and the rows of two runs, or later of three groups.
    """

    def __init__(self, order: NDArray[np.int64], run: int, group: int, folder: str) -> None:
        """`order[i]` is the row, counted from 0, that comes to place i; rows are sorted `run`, merged `group` at once.

        A run may have more rows, as what is appended isn't cut.
        """
        self._place = np.empty(len(order), np.int32 if len(order) < 1 << 31 else np.int64)
        self._place[order] = np.arange(len(order), dtype=self._place.dtype)
        self._run, self._group, self._folder = run, group, folder
        self._waiting: list[Rows] = []
        self._sorted = Pile(folder)
        self._runs: list[slice] = []

    def append(self, rows: Rows) -> None:
        """The next rows."""
        self._waiting.append(rows)
        if sum(map(len, self._waiting)) >= self._run:
            self._sort()

    def _sort(self) -> None:
        """What waits becomes a run."""
        rows = joined(self._waiting)
        self._waiting.clear()
        here = slice(len(self._sorted), len(self._sorted) + len(rows))
        order = np.argsort(self._place[here], kind="stable")
        self._sorted.append(rows.take(order))
        self._place[here] = self._place[here][order]
        self._runs.append(here)

    def merged(self) -> Pile:
        """All rows in their new order; call it once, after the last row."""
        if self._waiting:
            self._sort()
        pile, n = Pile(self._folder), len(self._place)
        assert len(self._sorted) == n, "every row is added before they are merged"
        for lo in range(0, n, self._group):
            pile.append(self._between(lo, min(lo + self._group, n)))
        return pile

    def _between(self, lo: int, hi: int) -> Rows:
        """The rows whose places are [lo, hi): a stretch of each run."""
        found: list[Rows] = []
        places: list[NDArray[Any]] = []
        for run in self._runs:
            place = self._place[run]
            a, b = (int(at) for at in np.searchsorted(place, (lo, hi)))
            if a < b:
                found.append(self._sorted.read(run.start + a, run.start + b))
                places.append(place[a:b])
        return joined(found).take(np.argsort(np.concatenate(places)))
