"""Columns in memory become the same features as those of files."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, ReadOptions, load, scan
from hdfs_io.encode import encode

Put = Callable[[str, str | bytes], str]


def test_words_and_numbers(put: Put) -> None:
    dataset = scan(put("t.csv", "a,town,y\n" + "1,Rome,0\n2, Bonn,1\n3,?,0\n4,Rome ,1\n" * 2), label="class")
    want = load(dataset, 0, 4).X
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "town": ["Rome", "Bonn", None, "Rome"]})
    assert encode(frame.__getitem__, 4, dataset.schema).tolist() == want.tolist()  # type: ignore[union-attr]
    strange = pa.table({"a": [5], "town": ["Oslo"]})
    with pytest.raises(DataError, match=r"row 0: column 'town' holds 'Oslo', .*: 1 such words; .* unknown='drop'"):
        encode(strange.column, 1, dataset.schema)
    assert encode(strange.column, 1, dataset.schema, "drop").tolist() == [[5, 0, 0, 0]]


def test_a_missing_word_that_counts_as_none_is_no_stranger(put: Put) -> None:
    options = ReadOptions(missing="zero")
    schema = scan(put("t.csv", "town,y\n" + "Rome,0\nBonn,1\n?,0\n" * 3), options, label="class").schema
    assert encode(pa.table({"town": [None, "Bonn"]}).column, 2, schema).tolist() == [[0, 0], [1, 0]]


def test_vectors(place: str, put: Put) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"v": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1]}), out)
    schema = scan(put("v.parquet", out.getvalue()), label="class").schema
    assert encode(lambda _: [[5.0, 6.0]], 1, schema).tolist() == [[5, 6]]
    with pytest.raises(DataError, match="column 'v' holds 1 numbers, the model's data had 2"):
        encode(lambda _: [[5.0]], 1, schema)
