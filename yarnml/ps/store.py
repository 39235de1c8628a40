"""A store: readings of rows one by one, in a mirror of the table whose memory comes with use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.comm.company import FOREVER
from yarnml.kernels import rows as kernels
from yarnml.ps.reading import NEVER, Array, Index, Link, Need, Want, by_server
from yarnml.ps.spec import TableSpec
from yarnml.wire.message import Rows


@final
class Store:
    """All rows of one table that were read as members of a list."""

    def __init__(self, spec: TableSpec, cuts: tuple[int, ...], links: Sequence[Link]) -> None:
        self._cuts, self._links = cuts, links
        self._mirror: npt.NDArray[Any] = np.empty(spec.shape, spec.numpy_dtype)
        self._held = np.zeros(spec.rows, bool)
        self._version = np.full(spec.rows, NEVER)
        self._own = np.full(spec.rows, NEVER)  # clock up to which own increments are in
        self._asked = np.full(spec.rows, NEVER)  # clock in which it was last asked for

    def fresh(self, rows: Index, need: Need) -> npt.NDArray[np.bool_]:
        """Which of the rows may be read."""
        version = self._lifted(self._version, rows, [link.version for link in self._links])
        fresh: npt.NDArray[np.bool_] = self._held[rows] & (version >= need.version)
        return fresh

    def version(self, rows: Index) -> int:
        """The clock up to which all increments are in all of these rows."""
        return int(self._lifted(self._version, rows, [link.version for link in self._links]).min(initial=FOREVER))

    def wanted(self, rows: Index, need: Need) -> Iterator[Want]:
        """What to ask for before the rows are read."""
        missing = ~self.fresh(rows, need) & (self._asked[rows] < need.clock)
        for k, part in by_server(rows, self._cuts):
            if need.comes(self._links[k]):
                missing[part] &= ~self._held[rows[part]]
        asked = rows[missing]
        self._asked[asked] = need.clock
        for k, part in by_server(asked, self._cuts):
            yield Want(k, 0, 0, asked[part])

    def read(self, rows: Index) -> Array:
        """A copy of held rows."""
        out = np.empty((len(rows), self._mirror.shape[1]), self._mirror.dtype)
        kernels.gather(self._mirror, rows, out)
        return out

    def own(self, rows: Index) -> Array:
        """The clocks up to which own increments are in."""
        return self._lifted(self._own, rows, [link.own for link in self._links])

    def hold(self, rows: Index) -> None:
        """These rows are kept from now on."""
        self._held[rows] = True

    def update(self, message: Rows, version: int) -> None:
        """Take in those rows that are held."""
        if message.rows is not None:
            rows, values = message.rows, message.values[0]
        elif self._held[message.start : message.stop].any():
            rows, values = np.arange(message.start, message.stop), np.concatenate(message.values)
        else:
            return
        held = self._held[rows]
        if not held.all():
            rows, values = rows[held], values[held]
        self._mirror[rows] = values
        self._version[rows] = version
        self._own[rows] = message.own

    def forget(self, server: int) -> None:
        """Nothing that is held from this server can be trusted."""
        rows = slice(self._cuts[server], self._cuts[server + 1])
        self._held[rows] = False
        for clocks in (self._version, self._own, self._asked):
            clocks[rows] = NEVER

    def _lifted(self, clocks: Array, rows: Index, floors: list[int]) -> Array:
        """Clocks of rows, none lower than what its server's last push has brought it to."""
        out: Array = clocks[rows]
        for k, part in by_server(rows, self._cuts):
            np.maximum(out[part], floors[k], out=out[part])
        return out
