"""Bags: rows of few values among many features: as a column of Spark's vectors, and made of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.formats.vectors import unpack
from hdfs_io.kinds import is_vector
from hdfs_io.labels import numbers

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
    indices, values = (one_chunk(table.column(name)) for name in ("indices", "values"))
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


def bagged(table: pa.Table, features: Sequence[str]) -> pa.Table:
    """The table with its features, columns of numbers or vectors, as lists: `indices` from 1, `values` that aren't 0.

    A missing number is nan. DataError for vectors that are missing or differ in width.
    """
    parts, width = [], 0
    for name in features:
        row, index, value, more = _nonzero(table.column(name), name)
        parts.append((row, index + (width + 1), value))
        width += more
    row, index, value = (
        (np.concatenate(each) for each in zip(*parts, strict=True)) if parts else (np.empty(0, int),) * 3
    )
    order = np.lexsort((index, row))
    starts = pa.array(np.searchsorted(row[order], np.arange(len(table) + 1)), pa.int32())
    lists = (pa.ListArray.from_arrays(starts, pa.array(x[order])) for x in (index, value))
    table = table.drop_columns(list(features))
    for name, column in zip(("indices", "values"), lists, strict=True):
        table = table.append_column(name, column)
    return table


def _nonzero(column: pa.ChunkedArray, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
    """Row, index from 0 and value of a column's numbers that aren't 0, and its width."""
    if not is_vector(column.type):
        x = numbers(column)
        row = np.flatnonzero(x)
        return row, np.zeros(len(row), np.int64), x[row], 1
    stored = unpack(column, name, lambda row, what: f"row {row} of these: {what}")
    row = np.repeat(np.arange(len(column)), np.diff(stored.indptr))
    kept = stored.values != 0
    return row[kept], stored.indices[kept], stored.values[kept], stored.width


def one_chunk(column: pa.ChunkedArray) -> Any:
    """A column as one array, not offset in what lies around it."""
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
