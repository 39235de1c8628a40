"""A table of 2,000,000 x 16 on 3 servers: its checkpoint is gone on from by 1 server, and by 5."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from yarnml.ps import AdaGrad, TableSpec, normal
from yarnml.ps.checkpoint.files import Saved, write_shard
from yarnml.ps.checkpoint.origin import FROM_INIT, Origin
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.server.shard import Shard
from yarnml.ps.spec import bounds, resolve
from yarnml.wire.message import EndClock, Patch

WIDTH = 16


def marked(rows: int, server: int, servers: int, origin: Origin = FROM_INIT) -> Shard:
    """One server's, with a checkpoint to come as of clock 1."""
    spec = TableSpec("W", (rows, WIDTH), init=normal(1.0), function=AdaGrad(0.1), staleness=1)
    s = Shard(resolve([spec], 1), server=server, servers=servers, workers=1, seed=0, origin=origin)
    assert s.parts.mark(1)
    return s


def taken(s: Shard) -> Snapshot:
    snapshot = s.parts.snapshot()
    assert snapshot is not None
    return snapshot


def step(s: Shard, clock: int, start: int, g: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> None:
    s.handle(EndClock(sender=0, seq=clock + 1, clock=clock, patches=(Patch(0, start, None, g),)))


@pytest.mark.parametrize("rows", [400_000, pytest.param(2_000_000, marks=pytest.mark.full)])
def test_one_and_five_servers_go_on_from_three(rows: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    G, W = np.empty((rows, WIDTH), np.float32), np.empty((rows, WIDTH), np.float32)
    cuts = bounds(rows, 3)
    for k in range(3):
        s, n = marked(rows, k, 3), cuts[k + 1] - cuts[k]
        step(s, 0, cuts[k], rng.standard_normal((n, WIDTH), np.float32))
        step(s, 1, cuts[k], np.ones((n, WIDTH), np.float32))  # too late for it
        snapshot = taken(s)
        write_shard(str(tmp_path), snapshot)
        for chunk in snapshot.tables[0][1]:
            W[chunk.start : chunk.start + len(chunk.values)] = chunk.values
            G[chunk.start : chunk.start + len(chunk.values)] = chunk.state["G"]
    assert W.std() > 0.5
    assert (G > 0).mean() > 0.99
    for servers in (1, 5):
        read = 0
        for k in range(servers):
            s = marked(rows, k, servers, Saved(str(tmp_path), 1))
            s.handle(EndClock(sender=0, seq=1, clock=0, patches=()))
            for chunk in taken(s).tables[0][1]:
                here = slice(chunk.start, chunk.start + len(chunk.values))
                np.testing.assert_array_equal(chunk.values, W[here])
                np.testing.assert_array_equal(chunk.state["G"], G[here])
                read += len(chunk.values)
        assert read == rows
