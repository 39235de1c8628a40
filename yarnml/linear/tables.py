"""Tables: what is known of a linear model while it is fitted, and what is saved of it."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema
from yarnml.app import Artifacts, Worker
from yarnml.ps import Table, TableSpec

F64 = NDArray[np.float64]
DONE, LAM, OBJECTIVE, GAP = range(4)


def linear_tables(data: Schema, problems: int, classes: int) -> list[TableSpec]:
    """`problems` along the path, each of `classes` targets (1 but for more than two classes).

    w (d + 1, classes): the weights, the intercepts in the last row; path: the same of every problem that is solved,
    (d + 1, problems * classes); solved (problems * classes, 4): whether, lam, objective, gap.
    """
    w = TableSpec("w", (data.width + 1, classes), dtype="float64", staleness=0, push="lazy")
    solved = TableSpec("solved", (problems * classes, 4), dtype="float64", staleness=0, push="lazy")
    path = TableSpec("path", (data.width + 1, problems * classes), dtype="float64", staleness=0, push="lazy")
    return [w, solved, *([path] if problems > 1 else [])]


@final
class Column:
    """One column of a table, of which worker 0 writes what changes."""

    def __init__(self, me: Worker, table: Table, number: int) -> None:
        self._me, self._table, self._number = me, table, number
        self._now: F64 = np.array(table.get()[:, number])

    @property
    def now(self) -> tuple[F64, float]:
        """Weights (d,) and intercept."""
        return self._now[:-1].copy(), float(self._now[-1])

    def put(self, w: F64, b: float) -> None:
        new = np.append(w, b)
        rows = np.flatnonzero(new != self._now)
        if self._me.index == 0 and len(rows):
            change = np.zeros((len(rows), self._table.shape[1]))
            change[:, self._number] = (new - self._now)[rows]
            self._table.inc(rows, change)
        self._now = new


def learned(me: Worker, problems: int) -> Artifacts:
    """w, the lam (1,) that it is of, and along a path of more than one problem also path, of those that are solved,
    and their lams."""
    solved = me.table("solved").get()
    count = int(solved[:, DONE].sum())
    found: Artifacts = {"w": np.array(me.table("w").get()), "lam": np.array(solved[count - 1 : count, LAM])}
    if problems > 1:
        found |= {"path": np.array(me.table("path").get()[:, :count]), "lams": np.array(solved[:count, LAM])}
    return found
