"""What the readings of one table share: their servers, how far these have brought them, and what to ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.wire.frozen import frozen

Array = npt.NDArray[Any]
Index = npt.NDArray[np.int64]
NEVER = -(1 << 62)  # the clock of what isn't known


@final
@frozen()
class Want:
    """Rows to ask a server for: [start, stop), or those listed.

    `times`: how often rows had been let go when it was asked. An answer says nothing of rows that have been let go
    since: their server may have believed it, and not have pushed what changed in them.
    """

    server: int
    start: int
    stop: int
    rows: Index | None = None
    times: int = 0

    @property
    def all_held(self) -> bool:
        """It is for whatever changed of all that is held from the server."""
        return self.rows is None and self.start == self.stop


@final
class Link:
    """What is known of one server."""

    __slots__ = ("asked", "floor", "number", "own", "slowest", "version")

    def __init__(self) -> None:
        self.version = self.own = NEVER  # clocks that its last push has brought all that is held from it up to
        self.slowest = NEVER  # clock, as last said by an Ack or Nack
        self.number = 0  # of its last Rows
        self.asked = NEVER  # the clock in which it was last asked for all that is held
        self.floor = NEVER  # mark up to which own increments are in all that may still be read


@final
@dataclass(slots=True)
class Need:
    """What a reading must be to be used now."""

    clock: int  # the worker's
    version: int  # a fresh reading's is at least this
    read: int  # clock up to which a server must have all increments before it answers
    pushed: bool  # what is held will be pushed
    managed: bool = False  # what is held is asked for, all at once; nothing else is sure to be pushed
    times: int = 0  # how often rows have been let go

    def comes(self, link: Link) -> bool:
        """Whether what is held from this server, and stale, will be pushed: it is as long as the clock hasn't moved."""
        return self.pushed and (self.managed or link.slowest < self.read)


def by_server(rows: Index, cuts: tuple[int, ...]) -> Iterator[tuple[int, slice]]:
    """(server, which of the rows, which increase) for each server that holds some."""
    if len(cuts) == 2:
        if len(rows):
            yield 0, slice(0, len(rows))
        return
    ends = np.searchsorted(rows, cuts).tolist()
    for k in range(len(cuts) - 1):
        if ends[k] < ends[k + 1]:
            yield k, slice(ends[k], ends[k + 1])
