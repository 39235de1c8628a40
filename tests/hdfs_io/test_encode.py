"""Columns in memory become the same features as those of files."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, load, scan
from hdfs_io.encode import encode

Put = Callable[[str, str | bytes], str]


def test_words_and_numbers(put: Put) -> None:
    dataset = scan(put("t.csv", "a,town,y\n" + "1,Rome,0\n2, Bonn,1\n3,?,0\n4,Rome ,1\n" * 2), label="class")
    want = load(dataset, 0, 4).X
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "town": ["Rome", "Bonn", None, "Rome"]})
    assert encode(frame.__getitem__, 4, dataset.schema).tolist() == want.tolist()  # type: ignore[union-attr]
    strange = pa.table({"a": [5], "town": ["Oslo"]})
    assert encode(strange.column, 1, dataset.schema).tolist() == [[5, 0, 0, 0]]


def test_vectors(place: str, put: Put) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"v": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1]}), out)
    schema = scan(put("v.parquet", out.getvalue()), label="class").schema
    assert encode(lambda _: [[5.0, 6.0]], 1, schema).tolist() == [[5, 6]]
    with pytest.raises(DataError, match="column 'v' holds 1 numbers, the model's data had 2"):
        encode(lambda _: [[5.0]], 1, schema)
