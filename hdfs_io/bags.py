"""Bags: rows of few values among many features as one column of Spark's vectors, for formats that hold columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

NAME = "features"
VECTOR = pa.struct(
    [
        pa.field("type", pa.int8(), nullable=False),
        pa.field("size", pa.int32()),
        pa.field("indices", pa.list_(pa.field("element", pa.int32(), nullable=False))),
        pa.field("values", pa.list_(pa.field("element", pa.float64(), nullable=False))),
    ]
)


def vectored(table: pa.Table, base: int, width: int) -> pa.Table:
    """The table with its columns `indices`, counted from `base`, and `values` as one: sparse vectors of this width."""
    indices, values = (_one(table.column(name)) for name in ("indices", "values"))
    starts = pa.array(np.asarray(indices.offsets) - indices.offsets[0].as_py(), pa.int32())
    _, size, *lists = VECTOR
    inside = (np.asarray(indices.flatten()) - base, np.asarray(values.flatten(), np.float64))
    parts = [
        pa.ListArray.from_arrays(starts, pa.array(x, field.type.value_type), type=field.type)
        for x, field in zip(inside, lists, strict=True)
    ]
    zeros, sizes = pa.array(np.zeros(len(table), np.int8)), pa.array(np.full(len(table), width), size.type)
    vectors = pa.StructArray.from_arrays([zeros, sizes, *parts], fields=list(VECTOR))
    return table.drop_columns(["indices", "values"]).append_column(NAME, vectors)


def _one(column: pa.ChunkedArray) -> Any:
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
