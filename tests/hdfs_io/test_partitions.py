"""Directories `column=value` are columns."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hdfs_io import ReadOptions, Roles, head, load, read_arrow, scan
from hdfs_io.partitions import partition_names

Put = Callable[[str, str | bytes], str]


def parquet(**columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def test_partitions_are_features_and_labels(place: str, put: Put) -> None:
    for month in (1, 2):
        for town in ("Bonn", "Rome", "__HIVE_DEFAULT_PARTITION__"):
            put(f"d/month={month}/town={town}/part-0.parquet", parquet(x=[1.0, 2.0, 3.0], y=[0, 1, 0]))
    dataset = scan(f"{place}/d", label="class")
    assert dataset.schema.features == ("x", "month", "town=?", "town=Bonn", "town=Rome")
    X = load(dataset, 2, 7).X
    assert X[0].tolist() == [3, 1, 0, 1, 0]  # type: ignore[index]
    assert X[1].tolist() == [1, 1, 0, 0, 1]  # type: ignore[index]
    tables = pa.concat_tables(read_arrow(dataset, 0, dataset.rows, ["town", "x"]), promote_options="default")
    assert tables.column("town").to_pylist()[:4] == ["Bonn", "Bonn", "Bonn", "Rome"]
    one = scan(f"{place}/d/month=2", label="class")
    assert one.schema.features == ("x", "town=?", "town=Bonn", "town=Rome")


def test_partitions_alone(place: str, put: Put) -> None:
    """Rows without a column of their own that is wanted are rows yet."""
    for y in (0, 1):
        for k in (5, 6):
            put(f"d/k={k}/y={y}/part-0.parquet", parquet(x=[1.0, 2.0, 3.0]))
    dataset = scan(f"{place}/d", ReadOptions(roles=Roles(features=("k",))), label="class")
    assert dataset.schema.label is not None
    assert dataset.schema.label.counts == (6, 6)
    rows = load(dataset, 0, 12)
    assert rows.X.tolist() == [[5]] * 6 + [[6]] * 6  # type: ignore[union-attr]
    assert rows.y is not None
    assert rows.y.tolist() == [0, 0, 0, 1, 1, 1] * 2


def test_partitions_of_csv(place: str, put: Put) -> None:
    put("d/y=no/part-0.csv", "a,b\n1,2\n3,4\n")
    put("d/y=yes/part-0.csv", "a,b\n5,6\n7,8\n")
    dataset = scan(f"{place}/d", label="class")
    assert dataset.schema.label is not None
    assert (dataset.schema.label.name, dataset.schema.label.classes) == ("y", ("no", "yes"))
    y = load(dataset, 0, 4).y
    assert y is not None
    assert y.tolist() == [0, 0, 1, 1]


def test_names_are_unquoted_and_what_lies_above_is_none() -> None:
    files = ["hdfs:///a/x=1/d/day=2026-01-02/t%20own=B%2FC/part-0"]
    assert partition_names("hdfs:///a/x=1/d", files) == ("day", "t own")


def test_numbers_beside_words_are_words(put: Put, place: str) -> None:
    for day in ("007", "2020-01-01", "7"):
        put(f"h/day={day}/a.parquet", parquet(x=[1, 2], y=[0, 1]))
        put(f"c/day={day}/a.csv", "x,y\n1,0\n2,1\n")
    for folder in ("h", "c"):
        days = [day for table in read_arrow(scan(f"{place}/{folder}", label="class"), 0, 6) for day in table["day"]]
        assert [day.as_py() for day in days] == ["007", "007", "2020-01-01", "2020-01-01", "7", "7"]
        assert head(f"{place}/{folder}").column("day").to_pylist() == [day.as_py() for day in days]
