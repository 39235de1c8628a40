"""Holdings: which rows of one table a worker has been sent, and which of them changed since."""

from __future__ import annotations

from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.ps.functions.function import Where
from yarnml.ps.managed import Array, Order, first

Bits = npt.NDArray[Any]


@final
class Holdings:
    """One worker's, at one server, for a table that is pushed; `rows` are the server's."""

    def __init__(self, start: int, stop: int, ranked: bool = False) -> None:
        """`ranked`: that which changed is told apart by how much it did, and since when."""
        self._start = start
        self._held: Bits = np.zeros(stop - start, bool)
        self._changed: Bits = np.zeros(stop - start, bool)
        self._moved = np.zeros(stop - start if ranked else 0, np.float32)  # lengths of increments since it was sent
        self._since = np.zeros(len(self._moved), np.int64)  # number of the first of them
        self._touches = 0
        self.any = False

    def sent(self, rows: Where, push: bool = False) -> None:
        """The worker is sent these rows as they stand; unasked, it keeps those of them that it holds."""
        where = self._local(rows)
        self._changed[where] = False
        if not push:
            self._held[where] = True
            self.any = True

    def touch(self, rows: Where, moved: Array | None = None) -> None:
        """These rows have changed. `moved`: by increments of these lengths, if it is ranked."""
        if not self.any:
            return
        where = self._local(rows)
        if moved is not None:
            before = self._changed[where]
            self._touches += 1
            self._since[where] = np.where(before, self._since[where], self._touches)
            self._moved[where] = np.where(before, self._moved[where], 0) + moved
        self._changed[where] = True

    def changed(self) -> npt.NDArray[np.int64]:
        """The held rows that changed."""
        return np.flatnonzero(self._changed & self._held) + self._start

    def best(
        self, rows: npt.NDArray[np.int64], n: int, order: Order, norms: Array, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """The `n` of these changed rows that are to be sent first. `norms`: their |row|."""
        at = rows - self._start
        size = self._moved[at] / np.maximum(norms, 1e-3 * (float(norms.mean()) or 1.0))
        return rows[first(order, n, size=size, age=self._since[at], rng=rng)]

    def due(self) -> Where:
        """The held rows that changed: all of a span where most of it did, else a list."""
        changed = self.changed()
        if not len(changed):
            return slice(self._start, self._start)
        low, high = int(changed[0]), int(changed[-1]) + 1
        return slice(low, high) if 2 * len(changed) > high - low else changed

    def release(self, rows: npt.NDArray[np.int64]) -> None:
        """The worker needs these rows no more."""
        self._held[rows - self._start] = False

    def drop(self) -> None:
        """The worker needs none any more."""
        self._held[:] = False
        self.any = False

    def _local(self, rows: Where) -> Where:
        if isinstance(rows, slice):
            return slice(rows.start - self._start, rows.stop - self._start)
        return rows - self._start
