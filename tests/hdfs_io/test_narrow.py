"""Row groups that are read some columns at a time give the rows that they give at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, Roles, load, narrow, scan, stream
from hdfs_io.options import ReadOptions
from hdfs_io.rows import joined

module = import_module("hdfs_io.stream")  # the package has a function of that name


@pytest.fixture
def url(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    n = 40_000
    columns = {f"f{j}": rng.random(n) for j in range(5)}
    words = pa.array(rng.choice(["a", "b", "c"], n)).dictionary_encode()
    vectors = pa.array(rng.random((n, 2)).tolist())
    table = pa.table({"w": rng.random(n), "t": words, **columns, "v": vectors, "label": rng.integers(0, 3, n)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=30_000)
    return str(tmp_path / "a.parquet")


@pytest.mark.parametrize("columns", [1, 3, 100])
def test_the_same_rows(url: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = scan(url, ReadOptions(roles=Roles(weight="w")), label="class")
    whole = load(dataset, 100, 39_000)
    monkeypatch.setattr(narrow, "COLUMN", 1000)
    passes: list[Sequence[str]] = []
    read = narrow.narrowed

    def narrowed(tables: narrow.Read, names: Sequence[str], _memory: int) -> Iterator[pa.Table]:
        passes.append(names)
        return read(tables, names, 1000 * columns)

    monkeypatch.setattr(module, "narrowed", narrowed)
    found = joined(list(stream(dataset, 100, 39_000, memory=6000)))
    assert len(passes) == 2
    assert isinstance(found.X, np.ndarray)
    for name in ("X", "y", "weight", "number"):
        assert np.array_equal(getattr(found, name), getattr(whole, name))


def test_small_ones_are_read_at_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "narrowed", None)
    dataset = scan(url, label="class")
    assert sum(map(len, stream(dataset, 0, dataset.rows, memory=64 << 20))) == dataset.rows


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_is_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = scan(url, label="class")
    monkeypatch.setattr(narrow, "COLUMN", 1000)
    with Path("/dev/full").open("r+b", buffering=0) as full:
        monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: full)
        with pytest.raises(DataError, match="full, while data beyond memory"):
            list(stream(dataset, 0, dataset.rows, memory=6000))
