"""Vectors: columns whose values are rows of numbers: lists of one length, and Spark's vectors, dense and sparse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.errors import DataError
from hdfs_io.kinds import is_number, is_spark
from hdfs_io.labels import numbers
from hdfs_io.survey import Place, Vectors


@dataclass(frozen=True, eq=False)
class Stored:
    """A column's vectors as stored values: row i holds those of [indptr[i], indptr[i+1])."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float32]
    width: int
    sparse: bool  # some came so

    def dense(self) -> NDArray[np.float32]:
        """(rows, width)"""
        out = np.zeros((len(self.indptr) - 1, self.width), np.float32)
        out[np.repeat(np.arange(len(out)), np.diff(self.indptr)), self.indices] = self.values
        return out


def survey_vectors(column: pa.ChunkedArray, name: str, place: Place) -> Vectors:
    """What a column of vectors holds. That widths differ, or indices don't fit, is a fault of features alone."""
    try:
        stored = unpack(column, name, place)
    except DataError as error:
        return Vectors(0, sparse=False, values=0, fault=str(error))
    return Vectors(stored.width, stored.sparse, int(np.count_nonzero(stored.values)))


def unpack(column: pa.ChunkedArray, name: str, place: Place) -> Stored:
    """The column's vectors. DataError names the first that is none, or has another width than the first."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # of no chunk
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if array.null_count:
        at = int(np.argmax(np.asarray(array.is_null())))
        raise DataError(place(at, f"column {name!r} holds no vector; remove such rows, or leave out the column"))
    return _spark(array, name, place) if is_spark(array.type) else _lists(array, name, place)


def _lists(array: Any, name: str, place: Place) -> Stored:
    width = _one(_lengths(array), name, place)
    values = _flat(array)
    indptr = np.arange(len(array) + 1, dtype=np.int64) * width
    return Stored(indptr, np.tile(np.arange(width), len(array)), values, width, sparse=False)


def _lengths(array: Any) -> NDArray[np.int64]:
    """How many numbers each row holds."""
    outer = np.asarray(pc.list_value_length(array), np.int64)
    if is_number(array.type.value_type):
        return outer
    inner = np.concatenate(([0], np.cumsum(_lengths(array.flatten()))))
    return np.diff(inner[np.concatenate(([0], np.cumsum(outer)))])


def _flat(array: Any) -> NDArray[np.float32]:
    flat = array.flatten()
    while not is_number(flat.type):
        flat = flat.flatten()
    with np.errstate(over="ignore"):
        return numbers(flat).astype(np.float32)


def _spark(array: Any, name: str, place: Place) -> Stored:
    """Type 1 is dense, with `values` alone; type 0 sparse, with `size`, and `indices` of the `values`."""
    dense = np.asarray(array.field("type").fill_null(0)) == 1
    counts = np.asarray(pc.list_value_length(array.field("values")).fill_null(0), np.int64)
    sizes = np.asarray(array.field("size").fill_null(-1), np.int64)
    width = _one(np.where(dense, counts, sizes), name, place)
    indptr = np.zeros(len(array) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    indices = np.empty(indptr[-1], np.int64)
    row = np.repeat(np.arange(len(array)), counts)
    within = np.arange(len(row)) - indptr[row]
    given = np.asarray(array.field("indices").filter(pa.array(~dense)).flatten(), np.int64)
    if len(given) != int(counts[~dense].sum()):
        raise DataError(place(0, f"column {name!r} holds sparse vectors with more or fewer indices than values"))
    indices[dense[row]] = within[dense[row]]
    indices[~dense[row]] = given
    wrong = (indices < 0) | (indices >= width)
    if len(indices):
        wrong[1:] |= (np.diff(indices) <= 0) & (np.diff(row) == 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        what = f"holds index {indices[at]} where indices rise from 0 to {width - 1}"
        raise DataError(place(int(row[at]), f"column {name!r} {what}"))
    with np.errstate(over="ignore"):
        values = numbers(array.field("values").flatten()).astype(np.float32)
    return Stored(indptr, indices, values, width, sparse=not dense.all())


def _one(widths: NDArray[np.int64], name: str, place: Place) -> int:
    """The width of all vectors."""
    if not len(widths):
        return 0
    other = widths != widths[0]
    if other.any():
        at = int(np.argmax(other))
        what = f"column {name!r} holds {widths[at]} numbers, where the first row has {widths[0]}"
        raise DataError(place(at, f"{what}; vectors of one length can be features"))
    return int(widths[0])
