"""Parquet: rows are the same whether a row group is read whole, some columns at a time, or in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from hdfs_io import load, scan, stream
from hdfs_io.formats import layer, parquet

WIDTH = 2 * parquet.TOGETHER + 3


def write(url: str) -> NDArray[np.float32]:
    """Features of every type that rows are made from without a copy, one that has gaps' type but none, and a label."""
    X = np.random.default_rng(0).integers(-9, 9, (1000, WIDTH)).astype(np.float32)
    kinds = [np.float32, np.float64, np.int64, np.int8]
    columns = {f"f{j}": pa.array(X[:, j].astype(kinds[j % 4])) for j in range(WIDTH)}
    pq.write_table(pa.table({**columns, "label": np.arange(1000) % 3}), url, row_group_size=300)
    return X


@pytest.mark.parametrize(("bound", "value"), [("LARGE", 1 << 26), ("LARGE", 0), ("LONG", 0), ("TOGETHER", 1)])
def test_rows_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int) -> None:
    url = str(tmp_path / "a.parquet")
    X = write(url)
    for name, most in ((bound, value), ("MOST", 70)):
        monkeypatch.setattr(parquet, name, most)
    for module in (parquet, layer):
        monkeypatch.setattr(module, "BATCH", 64)
    dataset = scan(url, label="class")
    assert [piece.rows for piece in dataset.pieces] == [300, 300, 300, 100]
    whole = load(dataset, 0, 1000, threads=2)
    assert whole.y is not None
    assert np.array_equal(whole.X, X)  # type: ignore[arg-type]
    assert np.array_equal(whole.y, np.arange(1000) % 3)
    runs = list(stream(dataset, 250, 650, threads=2))
    assert max(map(len, runs)) <= 64
    assert np.array_equal(np.concatenate([run.X for run in runs]), X[250:650])
    assert np.concatenate([run.number for run in runs]).tolist() == list(range(250, 650))
