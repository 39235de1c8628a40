"""Local tables: a lone worker's checkpoints, which servers can go on from too, and the other way round."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from yarnml.comm.company import Alone
from yarnml.errors import DataError
from yarnml.ps import AdaGrad, TableSpec, local_client
from yarnml.ps.checkpoint.files import Saved, write_shard
from yarnml.ps.local import Local

SPECS = [TableSpec("W", (300, 1024)), TableSpec("G", (5, 2), function=AdaGrad(1.0), staleness=3)]
ALONE = Alone(lambda _: None, lambda: None)


def at_clock_2() -> Local:
    tables = local_client(SPECS, seed=0, company=ALONE)
    for _ in range(2):
        tables.table("W").inc(None, np.ones((300, 1024), np.float32))
        tables.table("G").inc(3, np.full(2, 2, np.float32))
        tables.clock()
    return tables


def test_it_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    tables = at_clock_2()
    W = tables.table("W").get()
    snapshot = tables.snapshot()
    for each in (tables, None):
        on = each or local_client(SPECS, seed=0, company=ALONE, checkpoint=str(tmp_path), clock=2)
        assert on.clock_now == ALONE.clock_now == 2
        assert on.table("W").get()[7, 7] == 2
        on.table("W").inc(None, np.ones((300, 1024), np.float32))
        on.table("G").inc(3, np.full(2, 2, np.float32))
        on.clock()
        write_shard(str(tmp_path), snapshot)  # what was copied stands still
    assert W[0, 0] == 3, "a read is a live view, also after a copy was made"
    np.testing.assert_array_equal(tables.table("G").get(), on.table("G").get())
    np.testing.assert_allclose(on.table("G").get(3), -(1 + 2**-0.5 + 3**-0.5), rtol=1e-6)


def test_servers_can_read_it(tmp_path: Path) -> None:
    write_shard(str(tmp_path), at_clock_2().snapshot())
    (chunk,) = Saved(str(tmp_path), 2).chunks(SPECS[1], 2, 4)
    assert chunk.start == 2
    assert chunk.state["G"].tolist() == [[0, 0], [8, 8]]


def test_it_can_start_from_arrays() -> None:
    tables = local_client(SPECS, seed=0, company=ALONE, given={"G": np.ones((5, 2))})
    assert (tables.table("G").get() == 1).all()
    assert not tables.table("W").get().any()


def test_a_checkpoint_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"server-0.npz: no such file"):
        local_client(SPECS, seed=0, company=ALONE, checkpoint=str(tmp_path), clock=2)
