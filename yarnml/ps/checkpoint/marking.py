"""Marking: a server's part in checkpoints: asks which is wanted, takes the snapshot in time, has a thread write it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import final

from yarnml.comm.company import LATE
from yarnml.ps.checkpoint.files import write_shard
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.checkpoint.writing import Writing
from yarnml.ps.server.parts import Parts

LAST = 10.0  # s that a server that has served waits for what is still being written


@final
class Marking:
    """Belongs to the server's loop."""

    def __init__(
        self, parts: Parts, marks: Callable[[], tuple[int, str] | None], marked: Callable[[int, str], None]
    ) -> None:
        """See `serve`."""
        self._parts, self._marks, self._marked = parts, marks, marked
        self._wanted: tuple[int, str] | None = None
        self._waits = False  # for the snapshot
        self._writing: tuple[Snapshot, Writing] | None = None

    def look(self) -> None:
        """Take up the checkpoint that is wanted now, if it isn't the last one; one at a time is written."""
        wanted = self._marks()
        if wanted == self._wanted or self._writing is not None:
            return
        self._wanted = wanted
        self._waits = wanted is not None and self._parts.mark(wanted[0])
        if wanted is None:
            self._parts.unmark()
        elif not self._waits:
            self._marked(wanted[0], LATE)

    def turn(self) -> None:
        """See whether the snapshot can be taken, or is written."""
        if self._waits and self._wanted is not None:
            snapshot = self._parts.snapshot()
            if snapshot is not None:
                self._waits = False
                self._writing = snapshot, Writing(partial(write_shard, self._wanted[1], snapshot))
        if self._writing is not None and self._writing[1].done:
            snapshot, writing = self._writing
            self._writing = None
            self._parts.written(snapshot)
            self._marked(snapshot.clock, writing.error)

    def end(self) -> None:
        """All has been served: what is being written may still end well."""
        if self._writing is not None and self._writing[1].wait(LAST):
            self.turn()
