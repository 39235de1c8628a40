"""A history: what every worker of a run has added, read and ended, and the judge of it.

Worker v adds positive whole numbers to column v alone, so what a get returns tells how many of v's increments are in
it. Judged are

    the staleness bound: exact at 0               read-my-writes, those of the running clock too
    a clock's increments are whole (not in ASP)   what was read once is in all later reads; clocks are ended in turn
    each finished clock counts exactly once, in reads of everything and in checkpoints, which hold nothing later
    what was done after the checkpoint to which a run rolls back, or by a worker that is replaced in a clock that it
    hasn't finished, is as if it had never been
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from yarnml.comm.company import FOREVER
from yarnml.ps.keys import Key
from yarnml.ps.spec import TableSpec

Array = np.ndarray[Any, Any]


@final
class History:
    """What is known of the tables `specs` (of as many columns as `workers`), whose staleness is resolved."""

    def __init__(self, specs: tuple[TableSpec, ...], workers: int) -> None:
        self.specs, self.workers = specs, workers
        self._added: dict[tuple[int, int], list[tuple[int, Array]]] = {}  # (table, worker): (clock, of each row)
        self._seen: dict[tuple[int, int, int], Array] = {}  # (table, reader, writer): the newest of each row
        self._clocks = [0] * workers
        self._ending: list[int | None] = [None] * workers

    # ---- what happens

    def inc(self, table: int, worker: int, clock: int, rows: Array, delta: Array) -> None:
        """`delta` (len(rows),) to the worker's column; rows may repeat."""
        whole = np.zeros(self.specs[table].rows)
        np.add.at(whole, rows, delta.astype(float))
        self._added.setdefault((table, worker), []).append((clock, whole))

    def ending(self, worker: int, clock: int) -> None:
        """A worker is about to end a clock: if it dies before it can say that it has, it may have or not."""
        self._ending[worker] = clock

    def clock(self, worker: int, clock: int) -> None:
        """A worker has ended a clock."""
        assert clock == self._clocks[worker], f"worker {worker} ends {clock} instead of {self._clocks[worker]}"
        self._clocks[worker] += 1

    def begin(self, worker: int, clock: int) -> None:
        """Another process goes on for a worker, after all clocks before this one."""
        last = self._clocks[worker]
        assert clock <= last + (self._ending[worker] == last), f"worker {worker} skips clock {last}"
        self.start(worker, clock)
        for table in range(len(self.specs)):
            self._seen.pop((table, worker, worker), None)  # what it had seen of its own that nobody else had

    def roll_back(self, clock: int) -> None:
        """The run goes back to a checkpoint."""
        for worker in range(self.workers):
            self.start(worker, clock)
        self._seen.clear()

    def start(self, worker: int, clock: int) -> None:
        """A worker starts with this clock; what it did before counts, and not what it did later."""
        self._clocks[worker], self._ending[worker] = clock, None
        for table in range(len(self.specs)):
            parts = self._added.get((table, worker), [])
            self._added[table, worker] = [(c, whole) for c, whole in parts if c < clock]

    # ---- the judge

    def judge(self, table: int, reader: int, clock: int, rows: Array, got: Array) -> None:
        """A get by `reader` in its clock `clock`."""
        got = got.reshape(len(rows), self.workers)
        for writer in range(self.workers):
            allowed, column = self._allowed(table, reader, writer, clock, rows), got[:, writer]
            bad = ~(allowed == column).any(axis=0)
            assert not bad.any(), (
                f"table {table} reader {reader} clock {clock} writer {writer} rows {rows[bad]}: {column[bad]} "
                f"is none of {allowed[:, bad].T.tolist()}"
            )
            seen = self._seen.setdefault((table, reader, writer), np.zeros(self.specs[table].rows))
            assert (column >= seen[rows]).all(), f"table {table} reader {reader} writer {writer} goes back"
            seen[rows] = column

    def _allowed(self, table: int, reader: int, writer: int, clock: int, rows: Array) -> Array:
        """Each of what the writer's column may be, (possibilities, len(rows))."""
        s = 0 if clock == FOREVER else self.specs[table].staleness
        parts = self._added.get((table, writer), [])
        clocks = [c for c, _ in parts]
        sums = np.cumsum([np.zeros(len(rows))] + [whole[rows] for _, whole in parts], axis=0)
        if writer == reader:
            return sums[-1:]
        if s is None:
            return sums
        least = sum(c <= clock - int(s) - 1 for c in clocks)
        if s == 0:
            return sums[least : least + 1]
        ends = [i for i in range(least, len(sums)) if i in (0, len(clocks)) or clocks[i] != clocks[i - 1]]
        return sums[ends]

    def total(self, table: int, clock: int = FOREVER) -> Array:
        """The table when all that was added before `clock` is in it, once."""
        out = np.zeros(self.specs[table].shape)
        for (t, worker), parts in self._added.items():
            if t == table:
                out[:, worker] += np.sum([whole for c, whole in parts if c < clock], axis=0)
        return out


def rows_of(k: Key) -> Array:
    """The rows that a user named, in the user's order."""
    if k.rows is None:
        return np.arange(k.start, k.stop)
    return k.rows if k.inverse is None else k.rows[k.inverse]
