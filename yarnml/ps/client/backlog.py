"""A backlog: one table's increments of ended clocks that have not left, those to the same row as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.ps.managed import Order, first, sizes
from yarnml.ps.patches import merge, rows_of
from yarnml.ps.rounding import Rounding
from yarnml.ps.spec import TableSpec
from yarnml.wire.message import Patch

Array = npt.NDArray[Any]
Index = npt.NDArray[np.int64]
Norms = Callable[[Index], Array]  # |row| of rows as the worker last read them, nan where it hasn't


@final
class Backlog:
    """Of table `table`."""

    def __init__(self, table: int, spec: TableSpec, rng: np.random.Generator) -> None:
        self.spec, self._table, self._rng = spec, table, rng
        self._rounding = Rounding(spec.shape, spec.numpy_dtype) if spec.rounds else None
        self._rows: Index = np.zeros(0, np.int64)
        self._values: Array = np.zeros((0, spec.width), spec.numpy_dtype)
        self._since: Index = np.zeros(0, np.int64)  # oldest clock whose increments are in

    def __len__(self) -> int:
        """Rows that wait."""
        return len(self._rows)

    @property
    def row_bytes(self) -> int:
        """What a row takes on the wire, with its number."""
        return 8 + self.spec.width * self.spec.numpy_dtype.itemsize

    @property
    def oldest(self) -> int | None:
        """The oldest clock of which anything waits."""
        return int(self._since.min()) if len(self._since) else None

    @property
    def patches(self) -> list[Patch]:
        """All that waits."""
        return [_patch(self._table, self._rows, self._values)] if len(self._rows) else []

    def add(self, patches: list[Patch], clock: int) -> None:
        """Take in the increments of an ended clock."""
        if not patches:
            return
        old, since = self._rows, self._since
        (all_,) = merge(self.spec.function, [*self.patches, *patches, *_nothing(self._table, self._values)])
        self._rows, self._values = rows_of(all_), all_.values
        self._since = np.full(len(self._rows), clock)
        self._since[np.searchsorted(self._rows, old)] = since

    def due(self, clock: int) -> list[Patch]:
        """Take out the rows in which there is anything of `clock` or before."""
        return self._take(np.flatnonzero(self._since <= clock))

    def best(self, rows: int, order: Order, norms: Norms) -> list[Patch]:
        """Take out as many rows, those to be sent first."""
        size = self._relative(norms) if order == "magnitude" else self._since
        return self._take(first(order, rows, size=size, age=self._since, rng=self._rng))

    def settle(self) -> list[Patch]:
        """Take out everything, with what rounding has held back."""
        rest = [] if self._rounding is None or not self.spec.function.local else self._rounding.rest(self._table)
        self._rounding = None
        return merge(self.spec.function, self.due(1 << 62) + rest)

    def _relative(self, norms: Norms) -> Array:
        """|increment| / |row|; a row that isn't known is taken for a usual one."""
        w = norms(self._rows)
        known = w[np.isfinite(w) & (w > 0)]
        usual = float(known.mean()) if len(known) else 1.0
        return sizes(self._values) / np.maximum(np.where(np.isfinite(w), w, usual), 1e-3 * usual)

    def _take(self, at: Index) -> list[Patch]:
        if not len(at):
            return []
        rows, values = self._rows[at], self._values[at]
        self._rows, self._since = np.delete(self._rows, at), np.delete(self._since, at)
        self._values = np.delete(self._values, at, axis=0)
        patch = _patch(self._table, rows, values)
        return [patch if self._rounding is None else self._rounding.round(patch)]


def _patch(table: int, rows: Index, values: Array) -> Patch:
    if rows[-1] - rows[0] + 1 == len(rows):
        return Patch(table, int(rows[0]), None, values)
    return Patch(table, -1, rows, values)


def _nothing(table: int, like: Array) -> list[Patch]:
    """Two increments of no rows: beside them any number of others become one."""
    return [Patch(table, -1, np.zeros(0, np.int64), like[:0])] * 2
