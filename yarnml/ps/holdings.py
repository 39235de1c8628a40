"""Holdings: which rows of one table a worker has been sent, and which of them changed since."""

from __future__ import annotations

from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.ps.functions.function import Where

Bits = npt.NDArray[Any]


@final
class Holdings:
    """One worker's, at one server, for a table that is pushed; `rows` are the server's."""

    def __init__(self, start: int, stop: int) -> None:
        self._start = start
        self._held: Bits = np.zeros(stop - start, bool)
        self._changed: Bits = np.zeros(stop - start, bool)
        self.any = False

    def sent(self, rows: Where) -> None:
        """The worker is sent these rows as they stand."""
        where = self._local(rows)
        self._held[where] = True
        self._changed[where] = False
        self.any = True

    def touch(self, rows: Where) -> None:
        """These rows have changed."""
        if self.any:
            self._changed[self._local(rows)] = True

    def due(self) -> Where:
        """The held rows that changed: all of a span where most of it did, else a list."""
        changed = np.flatnonzero(self._changed & self._held) + self._start
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
