"""Data sets between Spark and here: what its local mode writes reads right, and it reads what is written here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hdfs_io import CSR, ReadOptions, Roles, convert, load, read_arrow, scan
from yarnml.cluster.java import java_home
from yarnml.errors import UsageError

SCRIPT = Path(__file__).parent / "spark.py"
ROWS = 60
WORDS = ("red", "green", "blue")


def spark(*args: str) -> str:
    """What the script prints."""
    if find_spec("pyspark") is None:
        pytest.skip("needs pyspark, which isn't installed")
    try:
        env = os.environ | {"JAVA_HOME": str(java_home()), "PYTHONWARNINGS": "ignore"}
    except UsageError as error:
        pytest.skip(str(error))
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=110, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of data sets by Spark: vectors, libsvm, types, csv and partitions."""
    folder = tmp_path_factory.mktemp("spark")
    spark("write", str(folder))
    return folder


def in_order(url: str, options: ReadOptions | None = None) -> tuple[Any, Any]:
    """X and y in the order of the rows' ids, and the ids are all there once."""
    dataset = scan(url, options or ReadOptions(roles=Roles(id="id", label="label")), label="class")
    rows = load(dataset, 0, dataset.rows, threads=2)
    assert rows.id is not None
    order = np.argsort(rows.id)
    assert rows.id[order].tolist() == list(range(ROWS))
    X = rows.X.to_scipy().toarray() if isinstance(rows.X, CSR) else rows.X
    assert rows.y is not None
    return X[order], rows.y[order]


def vectors() -> np.ndarray[Any, Any]:
    X = np.arange(ROWS)[:, None] + np.arange(7.0)
    X[::2] = 0
    even = np.arange(0, ROWS, 2)
    X[even, even % 7] = even + 0.5
    return X


def test_vectors_dense_and_sparse(written: Path) -> None:
    X, y = in_order(str(written / "vectors"))
    assert np.array_equal(X, vectors())
    assert np.array_equal(y, np.arange(ROWS) % 3)


def test_libsvm(written: Path) -> None:
    dataset = scan(str(written / "libsvm"), label="class")
    rows = load(dataset, 0, ROWS + 1)
    assert isinstance(rows.X, CSR)
    assert rows.y is not None
    found = sorted(zip(rows.y.tolist(), rows.X.to_scipy().toarray().tolist(), strict=True))
    assert found == sorted((i % 3, x) for i, x in enumerate(vectors().tolist()))


def test_all_types(written: Path) -> None:
    roles = Roles(id="id", label="label")
    X, y = in_order(str(written / "types"), ReadOptions(roles=roles, missing="zero"))
    i = np.arange(ROWS)
    gap = np.where(i % 10 == 3, 0, i / 8)
    words = [(i % 3 == k).astype(float) for k in np.argsort(WORDS)]  # one feature each, sorted
    want = np.column_stack([i / 4, i % 4 == 0, gap, *words, i, np.full(ROWS, -1), i / 2])
    assert np.array_equal(X, want.astype(np.float32))
    assert np.array_equal(y, i % 3)


def test_csv_of_gz_parts_with_headers(written: Path) -> None:
    roles = Roles(id="id", label="label")
    X, _ = in_order(str(written / "csv"), ReadOptions(roles=roles, missing="nan"))
    i = np.arange(ROWS)
    assert np.array_equal(X[:, 0], np.where(i % 10 == 3, np.nan, i / 8), equal_nan=True)
    assert np.array_equal(X[:, 1:], [[w == WORDS[k % 3] for w in sorted(WORDS)] for k in i])


def test_partitions_of_odd_names(written: Path) -> None:
    dataset = scan(str(written / "partitions"), ReadOptions(roles=Roles(id="id", label="label")), label="class")
    table = pa.concat_tables(read_arrow(dataset, 0, dataset.rows), promote_options="default").sort_by("id")
    countries = ["de", "a/b", "x=y 50%", "Österreich", None]
    assert table.column("country").to_pylist() == [countries[i % 5] for i in range(ROWS)]
    assert table.column("day").to_pylist() == [f"2024-02-{28 + i % 2}" for i in range(ROWS)]
    assert table.column("x").to_pylist() == [i / 4 for i in range(ROWS)]


def test_spark_reads_what_is_written_here(written: Path, tmp_path: Path) -> None:
    for kind, name in (("parquet", "types"), ("parquet", "vectors"), ("csv", "csv"), ("libsvm", "libsvm")):
        convert(str(written / name), str(tmp_path / name), format=kind)
    names = ("types", "vectors", "csv", "libsvm")
    found = json.loads(spark("read", *(str(tmp_path / name) for name in names)))
    types, vectored, plain, pairs = found
    i = range(ROWS)
    assert types["v"] == [[float(k), -1.0, k / 2] for k in i]
    assert [float(price) for price in types["price"]] == [k / 4 for k in i]
    assert types["yes"] == [k % 4 == 0 for k in i]
    assert types["day"] == [f"2024-02-{28 + k % 2}" for k in i]
    assert types["at"][:2] == ["2024-02-29 12:00:00.250000", "2024-02-29 13:00:00.250000"]
    assert vectored["features"] == vectors().tolist()
    for each in (types, plain):
        assert each["gap"] == [None if k % 10 == 3 else k / 8 for k in i]
        assert each["kind"] == [WORDS[k % 3] for k in i]
        assert each["label"] == [k % 3 for k in i]
    want = sorted((k % 3, x) for k, x in enumerate(vectors().tolist()))
    assert sorted(zip(pairs["label"], pairs["features"], strict=True)) == want
