"""Vectors in columns: lists of one length and Spark's, dense and sparse."""

from __future__ import annotations

import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import CSR, DataError, Dataset, ReadOptions, Roles, load, scan

Put = Callable[[str, str | bytes], str]
SPARK = pa.struct(
    [("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))]
)


def sparse(size: int, indices: list[int], values: list[float]) -> dict[str, Any]:
    return {"type": 0, "size": size, "indices": indices, "values": values}


def dense(*values: float) -> dict[str, Any]:
    return {"type": 1, "size": None, "indices": None, "values": list(values)}


def parquet(group: int = 4, **columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=group)
    return out.getvalue()


def matrix(dataset: Dataset, lo: int = 0, hi: int = 1 << 30) -> list[list[float]]:
    X = load(dataset, lo, hi).X
    return (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()  # type: ignore[no-any-return]


def test_sparse_and_dense_rows_are_one_matrix(put: Put) -> None:
    mixed = [sparse(5, [1, 4], [2.0, -1.0]), dense(1.0, 0.0, 0.0, 3.0, 0.5)] * 20
    url = put("v.parquet", parquet(features=pa.array(mixed, SPARK), label=[0.0, 1.0] * 20))
    dataset = scan(url, label="class")
    assert (dataset.schema.sparse, dataset.schema.width) == (True, 5)
    want = [[0, 2, 0, 0, -1], [1, 0, 0, 3, 0.5]] * 20
    assert matrix(dataset) == want
    assert matrix(dataset, 3, 18) == want[3:18]
    with_bias = put("w.parquet", parquet(v=pa.array(mixed, SPARK), one=[1] * 40, label=[0.0, 1.0] * 20))
    both = scan(with_bias, label="class")
    assert both.schema.features == ("v[0]", "v[1]", "v[2]", "v[3]", "v[4]", "one")
    assert matrix(both) == [[*row, 1] for row in want]  # type: ignore[misc]


def test_a_model_of_vectors_reads_new_ones(put: Put) -> None:
    train = put("t.parquet", parquet(f=pa.array([sparse(3, [0], [1.0]), sparse(3, [], [])] * 4, SPARK), y=[0, 1] * 4))
    model = scan(train, label="class").schema
    new = put("n.parquet", parquet(f=pa.array([dense(0, 1, 2)], SPARK)))
    assert matrix(scan(new, label="class", schema=model)) == [[0, 1, 2]]
    wide = scan(put("w.parquet", parquet(f=pa.array([dense(0, 1, 2, 3)], SPARK))), label="class", schema=model)
    with pytest.raises(DataError, match="column 'f' holds 4 numbers, where the model's data had 3"):
        load(wide, 0, 1)


def test_lists_of_one_length(put: Put) -> None:
    lists = parquet(v=[[1, 2], [3, 4], [5, None]], y=[0, 1, 0])
    dataset = scan(put("l.parquet", lists), ReadOptions(missing="zero"), label="class")
    assert matrix(dataset) == [[1, 2], [3, 4], [5, 0]]
    nested = pa.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    assert matrix(scan(put("n.parquet", parquet(v=nested, y=[0, 1])), label="class")) == [[1, 2, 3, 4], [5, 6, 7, 8]]
    fixed = pa.FixedSizeListArray.from_arrays(np.arange(6.0), 3)
    assert matrix(scan(put("f.parquet", parquet(v=fixed, y=[0, 1])), label="class")) == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("vectors", "what"),
    [
        (
            [sparse(3, [0], [1.0]), sparse(4, [0], [1.0])],
            "row 1 of row group 0: .* 4 numbers, where the first row has 3",
        ),
        ([sparse(3, [3], [1.0])], "holds index 3 where indices rise from 0 to 2"),
        ([sparse(3, [-1], [1.0])], "holds index -1"),
        ([sparse(3, [1, 0], [1.0, 2.0])], "holds index 0 where indices rise"),
        ([sparse(3, [1, 1], [1.0, 2.0])], "holds index 1 where indices rise"),
        ([sparse(3, [1], [1.0, 2.0])], "more or fewer indices than values"),
        ([None, dense(1.0)], "row 0 of row group 0: column 'v' holds no vector"),
    ],
)
def test_vectors_that_are_none(put: Put, vectors: list[Any], what: str) -> None:
    url = put("v.parquet", parquet(v=pa.array(vectors, SPARK), y=list(range(len(vectors)))))
    with pytest.raises(DataError, match=what):
        scan(url, ReadOptions(roles=Roles(label="y")), label="class")


def test_vectors_of_different_widths_in_different_files(place: str, put: Put) -> None:
    put("d/0.parquet", parquet(v=[[1, 2]], y=[0]))
    put("d/1.parquet", parquet(v=[[1, 2, 3]], y=[1]))
    with pytest.raises(DataError, match="column 'v' holds vectors of different widths"):
        scan(f"{place}/d", label="class")


def test_decimals_are_numbers_and_times_are_none(put: Put) -> None:
    times = pa.array([0, 1, 2, 3], pa.timestamp("us"))
    d = pa.array([Decimal("1.50"), Decimal("-2.25"), None, Decimal("0.00")], pa.decimal128(6, 2))
    url = put("d.parquet", parquet(d=d, t=times, y=[0, 1, 0, 1]))
    dataset = scan(url, ReadOptions(missing="zero"), label="class")
    assert dataset.schema.features == ("d",)
    assert matrix(dataset) == [[1.5], [-2.25], [0], [0]]
    assert "column 't' holds timestamp[us], no numbers: left out" in dataset.notes
