"""Parquet: rows are the same whether a row group is read whole, some columns at a time, or in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from hdfs_io import DataError, ReadOptions, Roles, load, scan, stream
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


def test_a_file_that_has_fewer_row_groups_than_it_had_has_changed(tmp_path: Path) -> None:
    url = str(tmp_path / "a.parquet")
    write(url)
    dataset = scan(url, label="class")
    pq.write_table(pq.read_table(url).slice(0, 500), url)
    with pytest.raises(DataError, match=r"a\.parquet: has changed since it was scanned"):
        load(dataset, 900, 1000)


@pytest.mark.parametrize("batch", [1 << 14, 70])
def test_words_are_surveyed_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(parquet, "BATCH", batch)
    url = str(tmp_path / "a.parquet")
    x = [None if k == 240 else float(k) for k in range(300)]
    columns = {"w": [f"w{k % 7}" for k in range(300)], "x": x, "y": ["no" if k % 3 else "yes" for k in range(300)]}
    pq.write_table(pa.table(columns), url)
    dataset = scan(url, ReadOptions(missing="mean"), label="class")
    assert dataset.schema.label is not None
    assert dataset.schema.label.counts == (200, 100)
    assert dataset.schema.features == (*(f"w=w{k}" for k in range(7)), "x")
    assert dataset.schema.means is not None
    assert dataset.schema.means[-1] == pytest.approx((299 * 300 / 2 - 240) / 299)
    with pytest.raises(DataError, match="column 'x'"):
        scan(url, label="class")
    pq.write_table(pa.table({**columns, "y": [None if k == 170 else 1.5 for k in range(300)]}), url)
    with pytest.raises(DataError, match="row 170 of row group 0: label: 1 label is missing"):
        scan(url, ReadOptions(missing="zero", roles=Roles(label="y")), label="number")
