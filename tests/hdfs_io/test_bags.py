"""Sparse rows in formats of columns and back: the same matrix, whatever the counts of a row's values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdfs_io import CSR, convert, load, scan
from hdfs_io.bags import vectored

BARE = {
    "a.ldac": "2 0:3 4:1\n1 2:7\n0\n",
    "docword.txt": "3\n5\n3\n1 1 3\n1 5 1\n2 3 7\n",
    "a.mtx": "%%MatrixMarket matrix coordinate real general\n3 5 3\n1 1 3\n1 5 1\n2 3 7\n",
}


def matrix(url: str, **options: Any) -> np.ndarray[Any, Any]:
    dataset = scan(url, **{"label": "class", **options})
    X = load(dataset, 0, dataset.rows).X
    assert isinstance(X, CSR)
    return X.to_scipy().toarray()  # type: ignore[no-any-return]


@pytest.mark.parametrize("to", ["parquet", "arrow", "libsvm"])
@pytest.mark.parametrize("counts", [(5, 5, 5), (0, 3, 7)])
@pytest.mark.parametrize("base", [0, 1])
def test_libsvm_there_and_back(tmp_path: Path, to: str, counts: tuple[int, ...], base: int) -> None:
    rng = np.random.default_rng(0)
    lines, X = [], np.zeros((30, 12 + base), np.float32)
    for i in range(30):
        at = np.sort(rng.choice(12, counts[i % 3], replace=False)) + base
        X[i, at] = rng.random(len(at), np.float32)
        lines.append(" ".join([str(i % 2), *(f"{j}:{X[i, j]!s}" for j in at)]))
    X[0, base] = 1 if counts[0] else 0  # the least index there is
    lines[0] = " ".join([lines[0].split()[0], *(f"{j}:{X[0, j]!s}" for j in np.flatnonzero(X[0]))])
    (tmp_path / "a.libsvm").write_text("\n".join(lines) + "\n")
    convert(str(tmp_path / "a.libsvm"), str(tmp_path / f"b.{to}"))
    first, second = (matrix(str(tmp_path / name)) for name in ("a.libsvm", f"b.{to}"))
    assert np.array_equal(first, second)
    assert np.array_equal(first[:, -12:], X[:, -12:][:, : first.shape[1]])
    assert scan(str(tmp_path / f"b.{to}"), label="class").schema.label is not None


@pytest.mark.parametrize("to", ["parquet", "arrow", "libsvm"])
@pytest.mark.parametrize("name", list(BARE))
def test_rows_without_labels(tmp_path: Path, name: str, to: str) -> None:
    source = str(tmp_path / name)
    Path(source).write_text(BARE[name])
    assert convert(source, str(tmp_path / f"b.{to}")) == 3
    assert np.array_equal(matrix(str(tmp_path / f"b.{to}"), label=None), matrix(source, label=None))


@given(st.lists(st.lists(st.integers(0, 9), unique=True), max_size=6), st.integers(0, 1), st.integers(0, 3))
def test_a_slice_of_rows_is_as_the_rows(rows: list[list[int]], base: int, begin: int) -> None:
    pairs = {"indices": [[j + base for j in sorted(row)] for row in rows], "values": [[1.5] * len(row) for row in rows]}
    types = {"indices": pa.list_(pa.int32()), "values": pa.list_(pa.float32())}
    table = pa.table({name: pa.array(column, types[name]) for name, column in pairs.items()}).slice(begin)
    found = vectored(table, base, 10).column("features").to_pylist()
    assert [each["indices"] for each in found] == [sorted(row) for row in rows[begin:]]
    assert all(each["size"] == 10 and each["type"] == 0 and set(each["values"]) <= {1.5} for each in found)


def test_spark_is_told_that_they_are_vectors(tmp_path: Path) -> None:
    (tmp_path / "a.libsvm").write_text("1 1:2\n0 3:4\n")
    convert(str(tmp_path / "a.libsvm"), str(tmp_path / "b.parquet"))
    note = pq.read_schema(tmp_path / "b.parquet").metadata[b"org.apache.spark.sql.parquet.row.metadata"]
    assert b"VectorUDT" in note
