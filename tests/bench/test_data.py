"""The bench of data sets: what it writes, measures and says."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdfs_io import scan
from yarnml.bench import data


def test_libsvm_is_read_as_scikit_learn_reads_it(tmp_path: Path) -> None:
    row = data._libsvm(str(tmp_path / "s.libsvm"), 500, 1)
    assert row.peer is not None
    assert row.aim == ">= 12"


def test_a_run_says_what_it_took(tmp_path: Path) -> None:
    url = str(tmp_path / "d.parquet")
    data.write_dense(url, 70_000)
    assert scan(url, label="class").rows == 70_000
    took = data.trained(str(tmp_path), url, 4, 1)
    assert took.seconds > 0
    assert took.cpu > 0
    assert 100 < took.peak < 1000


def test_a_pass_is_what_more_passes_take_more() -> None:
    row = data._pass("x", [(5.0, 3.0), (21.0, 11.0)])
    assert (row.ours, row.peer, row.ratio, row.holds) == (2.0, 1.0, 2.0, False)
    assert data._within("dense", data.LIMIT).holds


def test_a_speed_without_a_peer_is_only_told() -> None:
    row = data._speed("x", {"ours": 2.0, "peer": None}, 4_000_000, 0.8)
    assert (row.ours, row.peer, row.holds) == (2.0, None, None)
    assert data._speed("x", {"ours": 2.0, "peer": 1.0}, 4_000_000, 0.8).holds is False
    assert data._speed("x", {"ours": 2.0, "peer": 1.0}, 4_000_000, None).holds is None


def test_halves_are_all_bytes(tmp_path: Path) -> None:
    file = tmp_path / "bytes"
    file.write_bytes(bytes((2 << 20) + 4001))
    size = file.stat().st_size
    data.in_halves(lambda lo, hi: data.read_bytes(str(file), lo, hi), size)
    with pytest.raises(AssertionError, match="missing"):
        data.in_halves(lambda lo, hi: data.read_bytes(str(file), lo, hi), size + 1)
