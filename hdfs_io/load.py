"""Load: any span of a data set's rows into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.csr import CSR
from hdfs_io.dataset import Dataset, Piece
from hdfs_io.formats import reader_for
from hdfs_io.hands import hands
from hdfs_io.keys import Keys, keys_of
from hdfs_io.kinds import as_kind, kind_named
from hdfs_io.narrow import held
from hdfs_io.room import Filled, Frame, Room
from hdfs_io.rows import Rows
from hdfs_io.sample import Sample

IN_HAND = 24 << 20  # bytes of blocks
GROUPED = ("parquet", "arrow")


@dataclass(frozen=True, eq=False)
class Share:
    """What one piece gives to the rows that are loaded."""

    piece: Piece
    kept: Any  # what its survey kept, or None
    rows: NDArray[np.int64]  # positions in the piece, rising
    at: int  # place of the first among the loaded rows
    room: int  # place of its first value among the loaded ones, if no row of earlier pieces were left out


@final
class Place(Room):
    """The part of all rows' arrays that is one piece's own."""

    def __init__(self, arrays: Frame, share: Share) -> None:
        self._arrays, self._at, self.end = arrays, share.at, share.room

    def stretch(self, rows: int, values: int = 0) -> Frame:
        here, there = slice(self._at, self._at + rows), slice(self.end, self.end + values)
        self._at, self.end = here.stop, there.stop

        def cut(array: Any, part: slice) -> Any:
            return None if array is None else array[part]

        a = self._arrays
        return Frame(
            X=cut(a.X, here),
            y=cut(a.y, here),
            weight=cut(a.weight, here),
            counts=cut(a.counts, here),
            indices=cut(a.indices, there),
            values=cut(a.values, there),
        )


def count(dataset: Dataset, sample: Sample) -> int:
    """How many rows of the whole data set `sample` keeps."""
    return sample.count(dataset.rows)


def load(dataset: Dataset, lo: int, hi: int, sample: Sample | None = None, threads: int = 1) -> Rows:
    """The global rows [lo, hi) that `sample` (None: all) keeps. Only pieces that overlap are read, a thread each.

    Raises DataError if a file has changed since the scan, or holds what the scan couldn't see without reading it
    (nan in a Parquet column).
    """
    found = list(shares(dataset, max(0, lo), min(hi, dataset.rows), sample or Sample.all()))
    arrays, reader = _arrays(dataset, found), reader_for(dataset.options)
    places = [Place(arrays, share) for share in found]

    def fill(share: Share, place: Place) -> Filled:
        return reader.fill(dataset, share.piece, share.rows, place, share.kept)

    many = 1 if len(found) < 2 else hands(found[0].piece.file, piece_bytes(dataset), threads)
    with ThreadPoolExecutor(many) as pool:
        filled = list((map if many == 1 else pool.map)(fill, found, places))
    number = [share.rows + share.piece.first_row for share in found]
    return Rows(
        X=_sparse(dataset, arrays, found, places) if arrays.X is None else arrays.X,
        y=arrays.y,
        weight=arrays.weight,
        id=_ids(dataset, filled),
        number=np.concatenate(number) if number else np.empty(0, np.int64),
        dropped=sum(each.dropped for each in filled),
        user=_keys(dataset, filled, "user"),
        item=_keys(dataset, filled, "item"),
    )


def piece_bytes(dataset: Dataset) -> float:
    """Bytes in memory of a piece, in the mean."""
    return dataset.bytes_between(0, dataset.rows) / max(1, len(dataset.pieces))


def readers(dataset: Dataset, threads: int, memory: int | None) -> int:
    """How many of so many threads may read at once with no more than `memory` bytes in hand; at least one."""
    return threads if memory is None else max(1, min(threads, memory // in_hand(dataset)))


def in_hand(dataset: Dataset) -> int:
    """Bytes that a thread has while it reads: blocks of text or of rows, and what it has to hold of a row group."""
    groups = dataset.pieces if dataset.options.format in GROUPED else ()
    return IN_HAND + max((held(dataset, piece) for piece in groups), default=0)


def read_arrow(
    dataset: Dataset, lo: int, hi: int, columns: Sequence[str] | None = None, *, as_written: bool = True
) -> Iterator[pa.Table]:
    """The columns (None: all) of the global rows [lo, hi) as they are in the files, in their order.

    `as_written`: numbers whose text says more, as that of codes like 007 does, are text.
    """
    reader = reader_for(dataset.options)
    types = dict(dataset.types) | dict.fromkeys(dataset.written if as_written else (), "string")
    for piece in _overlapping(dataset, lo, hi):
        first = piece.first_row
        for table in reader.tables(piece, columns, types):
            begin, end = max(lo, first), min(hi, first + len(table))
            if begin < end:
                yield _typed(table.slice(begin - first, end - begin), types, piece.file)
            first += len(table)


def _typed(table: pa.Table, types: dict[str, str], file: str) -> pa.Table:
    """The table with columns in the types they have over all files, where Arrow can name them."""
    for i, field in enumerate(table.schema):
        kind = kind_named(types.get(field.name, ""))
        if kind is not None and kind != field.type:
            column = as_kind(table.column(i), kind, f"{file}: column {field.name!r}")
            table = table.set_column(i, field.name, column)
    return table


def _overlapping(dataset: Dataset, lo: int, hi: int) -> Iterator[Piece]:
    return (piece for piece in dataset.pieces if max(lo, piece.first_row) < min(hi, piece.first_row + piece.rows))


def shares(dataset: Dataset, lo: int, hi: int, sample: Sample) -> Iterator[Share]:
    """Which rows of which pieces make the rows [lo, hi) that `sample` keeps."""
    at = room = 0
    kept = dict(zip(dataset.pieces, dataset.kept or (), strict=False))
    for piece in _overlapping(dataset, lo, hi):
        begin, end = max(lo, piece.first_row), min(hi, piece.first_row + piece.rows)
        rows = np.arange(begin - piece.first_row, end - piece.first_row)
        if not sample.keeps_all:
            rows = rows[sample.mask(begin, end)]
        yield Share(piece, kept.get(piece), rows, at, room)
        at, room = at + len(rows), room + piece.values


def _arrays(dataset: Dataset, found: Sequence[Share]) -> Frame:
    """Arrays for all rows. What isn't filled in the end is never touched, so it takes no memory."""
    return Frame.of(dataset, sum(len(share.rows) for share in found), sum(share.piece.values for share in found))


def _sparse(dataset: Dataset, arrays: Frame, shares: Sequence[Share], places: Sequence[Place]) -> CSR:
    """The filled parts closed up to one matrix."""
    assert arrays.counts is not None
    assert arrays.indices is not None
    assert arrays.values is not None
    end = 0
    for share, place in zip(shares, places, strict=True):
        size = place.end - share.room
        if end != share.room:
            for array in (arrays.indices, arrays.values):
                array[end : end + size] = array[share.room : place.end]
        end += size
    indptr = np.zeros(len(arrays.counts) + 1, np.int64)
    np.cumsum(arrays.counts, out=indptr[1:])
    return CSR(indptr, arrays.indices[:end], arrays.values[:end], dataset.schema.width)


def _ids(dataset: Dataset, filled: Sequence[Filled]) -> NDArray[Any] | None:
    if dataset.options.roles.id is None:
        return None
    columns = [each.named["id"] for each in filled if "id" in each.named]
    if not columns:
        return np.empty(0, object)
    name = str(dataset.options.roles.id)
    kind = kind_named(dict(dataset.types)[name])
    if kind is not None:
        columns = [as_kind(column, kind, f"{dataset.url}: column {name!r}") for column in columns]
    return np.concatenate([_objects(column) for column in columns])


def _objects(column: pa.ChunkedArray) -> NDArray[Any]:
    """The values as numpy has them; None where one is missing, as whole numbers know no nan."""
    if column.null_count and pa.types.is_integer(column.type):
        return np.array(column.to_pylist(), object)
    return np.asarray(column.to_numpy())


def _keys(dataset: Dataset, filled: Sequence[Filled], role: str) -> Keys | None:
    name = dataset.options.roles.said().get(role)
    if name is None:
        return None
    columns = [each.named[role] for each in filled if role in each.named]
    return keys_of(columns, dict(dataset.types)[str(name)], f"{dataset.url}: {role} {name!r}")
