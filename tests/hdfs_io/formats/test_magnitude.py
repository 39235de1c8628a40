"""Numbers that float32 doesn't hold are told from missing ones; a column of them is read in units of its own."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hdfs_io import DataError, Dataset, ReadOptions, Schema, load, scan
from hdfs_io.encode import encode
from hdfs_io.formats.magnitude import BEYOND, magnitude, scale_for

Put = Callable[[str, str | bytes], str]
BIG = pa.table({"a": [1.5, 2.5, 3.5, 4.5], "big": [1e300, -2e300, 3e300, 0.0], "y": [0, 1, 0, 1]})


def stored(table: pa.Table, kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "arrow":
        with ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    elif kind == "csv":
        pacsv.write_csv(table, out)
    else:
        pq.write_table(table, out, write_statistics=kind == "parquet")
    return out.getvalue()


def features(dataset: Dataset) -> NDArray[np.float32]:
    X = load(dataset, 0, dataset.rows).X
    assert isinstance(X, np.ndarray)
    return X


@given(st.lists(st.none() | st.floats(), max_size=20))
def test_a_column_parts_into_fine_missing_and_large(values: list[float | None]) -> None:
    found = magnitude(pa.chunked_array([pa.array(values, pa.float64())]))
    x = np.array([np.nan if value is None else value for value in values], np.float64)
    with np.errstate(over="ignore"):
        bad = ~np.isfinite(x.astype(np.float32))
    missing = ~np.isfinite(x)
    none = np.zeros(len(x), np.bool_)
    assert (none if found.missing is None else found.missing).tolist() == missing.tolist()
    assert (none if found.large is None else found.large).tolist() == (bad & ~missing).tolist()
    assert found.range == (None if missing.all() else (x[~missing].min(), x[~missing].max()))


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_scaled_numbers_fit_and_those_that_fit_are_left(a: float, b: float) -> None:
    low, high = sorted((a, b))
    scale = scale_for(low, high)
    top = max(abs(low), abs(high))
    assert top * scale < BEYOND
    assert scale == 1 or 1e-23 < top * scale <= 1
    assert (scale == 1) == (top == 0 or 2.0**-126 <= top < BEYOND)


@pytest.mark.parametrize("kind", ["csv", "arrow", "parquet", "bare.parquet"])
def test_a_column_beyond_float32_is_read_in_units_that_the_schema_keeps(put: Put, kind: str) -> None:
    url = put(f"t.{kind}", stored(BIG, kind))
    dataset = scan(url, label="class")
    assert any("'big' lies between -2e+300 and 3e+300" in note and "units of 2^999" in note for note in dataset.notes)
    unit = 2.0**-999
    want = np.stack([[1.5, 2.5, 3.5, 4.5], np.array([1e300, -2e300, 3e300, 0]) * unit], 1).astype(np.float32)
    assert np.array_equal(features(dataset), want)
    schema = Schema.from_json(dataset.schema.to_json())
    assert (schema, schema.scales) == (dataset.schema, (1.0, unit))
    assert np.array_equal(encode(BIG.column, 4, schema), want)
    again = scan(put("small.csv", "a,big,y\n1,1e290,0\n2,3,1\n"), label="class", schema=schema)
    assert features(again)[:, 1].tolist() == [np.float32(1e290 * unit), 0.0]


def test_numbers_too_small_are_scaled_too(put: Put) -> None:
    dataset = scan(put("t.csv", "a,y\n1e-300,0\n3e-300,1\n"), label="class")
    X = features(dataset)
    assert X[1, 0] / X[0, 0] == pytest.approx(3)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_few_numbers_beyond_float32_are_faults(put: Put, kind: str) -> None:
    url = put(f"t.{kind}", stored(pa.table({"a": [1.0, 2.0, 1e300, 4.0], "y": [0, 1, 0, 1]}), kind))
    with pytest.raises(DataError, match=r"t\..*(:4|row 2 of row group 0): column 'a' holds '1e\+300': 1 feature"):
        scan(url, label="class")
    assert np.isnan(features(scan(url, ReadOptions(missing="nan"), label="class"))[2, 0])
    schema = scan(put("fine.csv", "a,y\n1,0\n2,1\n"), label="class").schema
    with pytest.raises(DataError, match="'a' holds '1e\\+300'"):
        scan(url, label="class", schema=schema)
    assert scan(url, ReadOptions(bad_rows="skip"), label="class", schema=schema).rows == 3


def test_no_mean_is_taken_of_them(put: Put) -> None:
    with pytest.raises(DataError, match="column 'big' holds numbers that float32 doesn't hold, whose means aren't"):
        scan(put("t.csv", stored(BIG, "csv")), ReadOptions(missing="mean"), label="class")
    with pytest.raises(DataError, match=r"libsvm holds sparse rows, whose means aren't taken; say --missing nan\|zero"):
        scan(put("t.libsvm", "1 1:1\n0 1:2\n"), ReadOptions(missing="mean"), label="class")
