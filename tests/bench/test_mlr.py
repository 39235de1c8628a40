"""The comparison holds by the aims, and says nothing of a peer that is missing."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from yarnml.bench.mlr import rows, write_data


def turn(loss: float, train: float, total: float) -> dict[str, float]:
    return {"log_loss": loss, "train": train, "total": total}


def test_holds_by_the_aims() -> None:
    good = rows([turn(0.6, 1, 3)] * 3, [turn(0.5995, 11, 11)] * 3)
    bad = rows([turn(0.602, 2, 5)] * 3, [turn(0.5995, 11, 11)] * 3)
    assert [row.holds for row in good] == [True, True, True]
    assert [row.holds for row in bad] == [False, False, False]


def test_a_missing_peer() -> None:
    assert [(row.peer, row.ratio, row.holds) for row in rows([turn(0.6, 1, 3)], [])] == [(None, None, None)] * 3


def test_the_data_can_be_learned(tmp_path: Path) -> None:
    write_data(tmp_path, 1000)
    table = pq.read_table(tmp_path / "train.parquet")
    assert table.shape == (1000, 101)
    assert len(table.column("label").unique()) == 10
