"""A store: readings of rows one by one, of as many rows as its slots have room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.comm.company import FOREVER
from yarnml.kernels import rows as kernels
from yarnml.ps.client.reading import NEVER, Array, Index, Link, Need, Want, by_server
from yarnml.ps.client.slots import Slots
from yarnml.ps.managed import sizes
from yarnml.ps.spec import TableSpec
from yarnml.wire.message import Rows


@final
class Store:
    """Rows of one table that were read as members of a list. Memory comes with use."""

    def __init__(self, spec: TableSpec, cuts: tuple[int, ...], links: Sequence[Link], slots: Slots) -> None:
        self._cuts, self._links, self._slots = cuts, links, slots
        n = slots.size + 1  # the last is where rows without a slot are
        self._mirror: npt.NDArray[Any] = np.empty((n, spec.width), spec.numpy_dtype)
        self._held = np.zeros(n, bool)
        self._version = np.full(n, NEVER)
        self._own = np.full(n, NEVER)  # mark up to which own increments are in
        self._asked = np.full(n, NEVER)  # clock in which it was last asked for
        self._born = np.zeros(n, np.int64)  # how often rows had been let go when the slot became the row's

    @staticmethod
    def beside() -> int:
        """Bytes that are kept of a row beside it."""
        return 1 + 4 * 8

    def fresh(self, rows: Index, need: Need) -> npt.NDArray[np.bool_]:
        """Which of the rows may be read."""
        at = self._slots.at(rows)
        version = self._lifted(self._version[at], rows, [link.version for link in self._links])
        fresh: npt.NDArray[np.bool_] = self._held[at] & (version >= need.version)
        return fresh

    def version(self, rows: Index) -> int:
        """The clock up to which all increments are in all of these rows."""
        versions = self._version[self._slots.at(rows)]
        return int(self._lifted(versions, rows, [link.version for link in self._links]).min(initial=FOREVER))

    def wanted(self, rows: Index, need: Need) -> tuple[list[Want], Index]:
        """What to ask for before the rows are read, and the rows that are kept no more so that these can be."""
        at, lost = self._give(rows, need.times)
        missing = ~self.fresh(rows, need) & (self._asked[at] < need.clock)
        for k, part in by_server(rows, self._cuts):
            if need.comes(self._links[k]):
                missing[part] &= ~self._held[at[part]]
        asked = rows[missing]
        self._asked[at[missing]] = need.clock
        return [Want(k, 0, 0, asked[part], need.times) for k, part in by_server(asked, self._cuts)], lost

    def _give(self, rows: Index, times: int) -> tuple[Index, Index]:
        before = self._slots.at(rows)
        at, lost = self._slots.give(rows)
        new = at[before < 0]
        self._held[new] = False
        for clocks in (self._version, self._own, self._asked):
            clocks[new] = NEVER
        self._born[new] = times
        return at, lost

    def read(self, rows: Index) -> Array:
        """A copy of held rows."""
        out = np.empty((len(rows), self._mirror.shape[1]), self._mirror.dtype)
        kernels.gather(self._mirror, self._slots.at(rows), out)
        return out

    def own(self, rows: Index) -> Array:
        """The marks up to which own increments are in."""
        return self._lifted(self._own[self._slots.at(rows)], rows, [link.own for link in self._links])

    def held(self, rows: Index) -> npt.NDArray[np.bool_]:
        """Of which of the rows there is a reading."""
        found: npt.NDArray[np.bool_] = self._held[self._slots.at(rows)]
        return found

    def norms(self, rows: Index, out: Array) -> None:
        """Write the |row| of those of which there is a reading."""
        held = self.held(rows)
        out[held] = sizes(self._mirror[self._slots.at(rows[held])])

    def has(self, rows: Index) -> npt.NDArray[np.bool_]:
        """Which of the rows are, or are to be, kept up to date."""
        found: npt.NDArray[np.bool_] = self._slots.at(rows) >= 0
        return found

    def hold(self, want: Want) -> None:
        """Rows that were asked for are kept from now on, unless they have been let go since."""
        assert want.rows is not None
        at = self._slots.at(want.rows)
        self._held[at[(at >= 0) & (self._born[at] <= want.times)]] = True

    def update(self, message: Rows, version: int) -> None:
        """Take in those rows that are held."""
        if message.rows is not None:
            rows, values = message.rows, message.values[0]
        else:
            rows = self._held_within(message.start, message.stop)
            if not len(rows):
                return
            values = np.concatenate(message.values)[rows - message.start]
        at = self._slots.at(rows)
        held = self._held[at]
        if not held.all():
            at, values = at[held], values[held]
        self._mirror[at] = values
        self._version[at] = version
        self._own[at] = message.own

    def forget(self, server: int) -> None:
        """Nothing that is held from this server can be trusted."""
        at = self._slots.within(self._cuts[server], self._cuts[server + 1])
        self._held[at] = False
        for clocks in (self._version, self._own, self._asked):
            clocks[at] = NEVER

    def _held_within(self, start: int, stop: int) -> Index:
        """The rows of [start, stop) that are held."""
        at = self._slots.within(start, stop)
        rows: Index = self._slots.rows(at)[self._held[at]]
        return rows

    def _lifted(self, clocks: Array, rows: Index, floors: list[int]) -> Array:
        """Clocks of rows, none lower than what its server's last push has brought it to."""
        for k, part in by_server(rows, self._cuts):
            np.maximum(clocks[part], floors[k], out=clocks[part])
        return clocks
