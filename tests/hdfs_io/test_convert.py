"""Any format to any other that can hold it: the same rows in the same order."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hdfs_io
from hdfs_io import CSR, DataError, convert, list_files, load, scan, write

N = 50
COLUMNS = {
    "label": np.arange(N) % 3,
    "a": np.arange(N) * 1.5,
    "b": pa.array([None if i == 7 else i for i in range(N)]),
}


def matrix(url: str) -> list[list[float]]:
    rows = load(scan(url, label="class"), 0, N)
    X = rows.X.to_scipy().toarray() if isinstance(rows.X, CSR) else rows.X
    return [[float(x) for x in row] for row in X]


@pytest.mark.parametrize(
    ("old", "new"), list(product(["csv", "parquet", "arrow"], ["csv", "parquet", "arrow", "csv.gz"]))
)
def test_rows_are_the_same(old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    src, dst = str(tmp_path / f"old.{old}"), str(tmp_path / f"new.{new}")
    table = pa.table(COLUMNS)
    write(src, table, format=old)
    assert convert(src, dst) == N
    read = [row for batch in hdfs_io.head(dst, n=N).to_batches() for row in batch.to_pylist()]
    assert read == table.to_pylist()
    monkeypatch.setattr(import_module("hdfs_io.convert"), "PART", 1)
    assert convert(src, str(tmp_path / "parts"), format=new.partition(".")[0]) == N
    assert (tmp_path / "parts" / "_SUCCESS").exists()
    assert hdfs_io.head(str(tmp_path / "parts"), n=N).to_pylist() == table.to_pylist()


def test_to_libsvm_and_back(tmp_path: Path) -> None:
    full = {**COLUMNS, "b": np.arange(N) % 2}
    write(str(tmp_path / "old.csv"), full)
    convert(str(tmp_path / "old.csv"), str(tmp_path / "new.libsvm"))
    convert(str(tmp_path / "new.libsvm"), str(tmp_path / "again.libsvm.zst"))
    assert matrix(str(tmp_path / "new.libsvm")) == matrix(str(tmp_path / "old.csv"))
    assert matrix(str(tmp_path / "again.libsvm.zst")) == matrix(str(tmp_path / "old.csv"))
    convert(str(tmp_path / "new.libsvm"), str(tmp_path / "vectors.parquet"))
    vectors = hdfs_io.head(str(tmp_path / "vectors.parquet"), n=2)["features"].to_pylist()
    assert [vector["values"] for vector in vectors] == [[], [1.5, 1.0]]
    assert matrix(str(tmp_path / "vectors.parquet")) == matrix(str(tmp_path / "old.csv"))
    convert(str(tmp_path / "vectors.parquet"), str(tmp_path / "third.libsvm"))
    assert (tmp_path / "third.libsvm").read_text() == (tmp_path / "new.libsvm").read_text()


def test_parts_are_of_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("hdfs_io.convert"), "PART", 1)
    for part in range(3):
        write(str(tmp_path / f"old/{part}.csv"), COLUMNS)
    convert(str(tmp_path / "old"), str(tmp_path / "new"), compression="zstd")
    assert len(list_files(str(tmp_path / "new"))) == 3


def test_what_a_format_cannot_hold_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.libsvm").write_text("1 1:2\n")
    (tmp_path / "b.csv").write_text("x,y\nred,1\ngreen,2\n")
    with pytest.raises(
        DataError, match="CSV can't hold the vectors of column 'indices'; write Parquet, Arrow or libsvm"
    ):
        convert(str(tmp_path / "a.libsvm"), str(tmp_path / "out.csv"))
    with pytest.raises(DataError, match=r"libsvm holds numbers alone, and column 'x' words; .* --label, --features"):
        convert(str(tmp_path / "b.csv"), str(tmp_path / "out.libsvm"))
    with pytest.raises(DataError, match="arrow isn't compressed by bz2: lz4, zstd"):
        convert(str(tmp_path / "b.csv"), str(tmp_path / "out.arrow"), compression="bz2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.libsvm", "b.csv"]
    convert(str(tmp_path / "b.csv"), str(tmp_path / "c.csv"))
    with pytest.raises(DataError, match="exists already"):
        convert(str(tmp_path / "b.csv"), str(tmp_path / "c.csv"))
