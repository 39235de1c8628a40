"""What a worker does in the tests of tables: adds, reads, and judges what it reads.

Worker v adds whole numbers to column v alone, by (worker, clock) alone, so each worker knows what all have added when.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.ps.history import History, rows_of
from tests.ps.use import random_delta, random_rows
from yarnml.errors import UsageError
from yarnml.ps import TableSpec
from yarnml.ps.keys import key
from yarnml.ps.spec import resolve
from yarnml.ps.table import Tables

CLOCKS = 12


def specs(workers: int) -> list[TableSpec]:
    """One table of each kind of consistency; "run" is what the run says."""
    return [
        TableSpec("run", (40, workers)),
        TableSpec("exact", (7, workers), dtype="int64", staleness=0, push="lazy"),
        TableSpec("loose", (33, workers), dtype="float64", staleness=2),
        TableSpec("free", (20, workers), staleness=None),
    ]


def increments(worker: int, clock: int, tables: list[TableSpec]) -> list[tuple[int, Any, np.ndarray[Any, Any]]]:
    """(table, rows, delta) of one worker's clock."""
    rng = random.Random(1000 * worker + clock)
    out = []
    for _ in range(4):
        t = rng.randrange(len(tables))
        rows = random_rows(rng, tables[t].rows)
        k = key(rows, tables[t].name, tables[t].shape)
        out.append((t, rows, random_delta(rng, tables[t], k, worker)))
    return out


def work(tables: Tables, worker: int, workers: int, staleness: int | None) -> None:
    """Twelve clocks of it; at the end all must see the same."""
    known = specs(workers)
    history = History(resolve(known, staleness), workers)
    for w in range(workers):  # what others will have added by the end bounds from above what may be seen of them
        for clock in range(CLOCKS if w != worker else 0):
            for t, rows, delta in increments(w, clock, known):
                history.inc(t, w, clock, rows_of(key(rows, known[t].name, known[t].shape)), delta[:, w])
    rng = random.Random(worker)
    for clock in range(CLOCKS):
        todo = increments(worker, clock, known)
        for t, rows, delta in todo:
            read(tables, history, rng, worker)
            history.inc(t, worker, clock, rows_of(key(rows, known[t].name, known[t].shape)), delta[:, worker])
            tables.table(known[t].name).inc(rows, delta)
            read(tables, history, rng, worker)
        tables.clock()
        assert tables.clock_now == clock + 1
    tables.end()
    for t, spec in enumerate(history.specs):
        np.testing.assert_array_equal(tables.table(spec.name).get(), history.total(t))
        with pytest.raises(UsageError, match=f"an increment of table '{spec.name}' after the worker's work has"):
            tables.table(spec.name).inc(0, np.ones(workers, spec.dtype))
    with pytest.raises(UsageError, match="the end of a clock after the worker's work has returned"):
        tables.clock()
    tables.finish()


def read(tables: Tables, history: History, rng: random.Random, worker: int) -> None:
    t = rng.randrange(len(history.specs))
    spec = history.specs[t]
    rows = random_rows(rng, spec.rows)
    if rng.random() < 0.3:
        tables.table(spec.name).prefetch(rows)
    got = tables.table(spec.name).get(rows)
    assert not got.flags.writeable
    history.judge(t, worker, tables.clock_now, rows_of(key(rows, spec.name, spec.shape)), got)
