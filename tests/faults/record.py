"""A record: what one process of a worker added, read and ended, in a file that outlives it.

Each line is written before what it tells of can have left the process; a get's once it is answered, and that
a clock has ended once the call is back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, final

import numpy as np

from tests.ps.history import Array, History, rows_of
from yarnml.ps.keys import key
from yarnml.ps.spec import TableSpec
from yarnml.ps.table import Tables

Line = list[Any]


@final
class Recorder:
    """A worker's tables, by their number; what is done with them is written down."""

    def __init__(self, path: Path, tables: Tables, specs: tuple[TableSpec, ...], worker: int) -> None:
        self._file = path.open("a")
        self._tables, self._specs, self._worker = tables, specs, worker
        self._write("begin", tables.clock_now)

    def get(self, table: int, rows: Any) -> None:
        got = self._tables.table(self._specs[table].name).get(rows)
        self._write("get", self._tables.clock_now, table, self._named(table, rows), got.tolist())

    def inc(self, table: int, rows: Any, delta: Array) -> None:
        named = self._named(table, rows)
        self._write("inc", self._tables.clock_now, table, named, delta[:, self._worker].tolist())
        self._tables.table(self._specs[table].name).inc(rows, delta)

    def clock(self) -> None:
        clock = self._tables.clock_now
        self._write("ending", clock)
        self._tables.clock()
        self._write("clock", clock)

    def _named(self, table: int, rows: Any) -> list[int]:
        named: list[int] = rows_of(key(rows, self._specs[table].name, self._specs[table].shape)).tolist()
        return named

    def _write(self, *line: Any) -> None:
        print(json.dumps(line), file=self._file, flush=True)


def recorded(path: Path) -> list[Line]:
    """The lines of a record; a process may have died within the last one."""
    lines = path.read_text().split("\n")
    return [json.loads(line) for line in lines[:-1]]


def add(history: History, worker: int, lines: list[Line]) -> None:
    """What a worker has added, and which of it counts: the run may have gone back."""
    for what, clock, *rest in lines:
        if what == "inc":
            table, rows, delta = rest
            history.inc(table, worker, clock, np.array(rows, int), np.array(delta))
        elif what == "begin":
            history.begin(worker, clock)
        elif what == "back":
            history.start(worker, clock)
        elif what == "ending":
            history.ending(worker, clock)
        elif what == "clock":
            history.clock(worker, clock)


def replay(history: History, worker: int, lines: list[Line]) -> int:
    """All that a worker has done; `history` knows what the others add meanwhile. How many gets were judged."""
    judged = 0
    for line in lines:
        if line[0] == "get":
            _, clock, table, rows, got = line
            history.judge(table, worker, clock, np.array(rows, int), np.array(got))
            judged += 1
        else:
            add(history, worker, [line])
    return judged
