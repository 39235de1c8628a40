"""Sparse: what all readers of sparse rows without column names share, whatever their files are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.lines import Lines
from hdfs_io.formats.parsed import Parsed, outside
from hdfs_io.formats.tally import LABEL, QID, Tally
from hdfs_io.kinds import NOTHING, Kinds
from hdfs_io.labels import number_codes
from hdfs_io.listing import DataFile
from hdfs_io.reader import Reader
from hdfs_io.room import Filled, Room
from hdfs_io.spoken import many
from hdfs_io.survey import Ask, Place, Survey


class Sparse(Reader):
    """A reader whose files hold rows of index:value pairs."""

    @abstractmethod
    def parsed(self, piece: Piece) -> Iterator[Parsed]:
        """All rows of the piece. What is yielded may be overwritten when the next is asked for."""

    @final
    def names(self, _file: DataFile) -> list[str]:
        return [LABEL]

    @final
    def survey(self, piece: Piece, ask: Ask) -> Survey:
        tally = Tally(ask)
        for each in self.parsed(piece):
            tally.take(each)
        return tally.survey()

    @final
    def fill(self, dataset: Dataset, piece: Piece, rows: NDArray[np.int64], room: Room, kept: Any) -> Filled:
        first = dropped = 0
        for lines in self._good(piece) if kept is None else kept:
            low, high = np.searchsorted(rows, (first, first + len(lines.y)))
            if high > low:
                part = lines if high - low == len(lines.y) else lines.take(rows[low:high] - first)
                dropped += _put(dataset, piece, part, room)
            first += len(lines.y)
        if first != piece.rows:
            why = f"{many(first, 'row')} where there were {piece.rows:,}"
            raise DataError(f"{piece.file}: has changed since it was scanned: {why}")
        return Filled(dropped)

    @final
    def tables(self, piece: Piece, columns: Sequence[str] | None, _kinds: Kinds = NOTHING) -> Iterator[pa.Table]:
        for lines in self._good(piece):
            indptr = pa.array(lines.indptr.astype(np.int32))
            every = {
                LABEL: pa.array(lines.y, mask=np.full(len(lines.y), lines.bare > 0)),
                **({} if lines.qid is None else {QID: pa.array(lines.qid, mask=lines.qid < 0)}),
                "indices": pa.ListArray.from_arrays(indptr, pa.array(lines.indices.copy())),
                "values": pa.ListArray.from_arrays(indptr, pa.array(lines.values.copy())),
            }
            yield pa.table(every).select(list(every) if columns is None else list(columns))

    @final
    def places(self, piece: Piece) -> Iterator[tuple[int, Place]]:
        return ((len(each.lines.y), each.place) for each in self.parsed(piece))

    def _good(self, piece: Piece) -> Iterator[Lines]:
        """The rows without those that are left out."""
        first, bad = 0, np.array(piece.bad, np.int64)
        for each in self.parsed(piece):
            n = len(each.lines.y)
            low, high = np.searchsorted(bad, (first, first + n))
            keep = np.delete(np.arange(n), bad[low:high] - first) if high > low else None
            yield each.lines if keep is None else each.lines.take(keep)
            first += n


def _put(dataset: Dataset, piece: Piece, lines: Lines, room: Room) -> int:
    """Copy rows into the room; returns how many values were dropped."""
    low = dataset.schema.base
    high = low + dataset.schema.width - 1
    indptr, indices, values = lines.indptr, lines.indices, lines.values
    if len(indices) and (lines.least < low or int(indices.max()) > high):
        known = ~outside(indices, low, high)
        indptr = np.concatenate(([0], np.cumsum(known)))[indptr]
        indices, values = indices[known], values[known]
    frame = room.stretch(len(lines.y), len(indices))
    assert frame.counts is not None
    assert frame.indices is not None
    assert frame.values is not None
    frame.counts[:] = np.diff(indptr)
    np.subtract(indices, np.int32(low), out=frame.indices)
    frame.values[:] = values
    if dataset.options.missing != "stop":
        frame.values[~np.isfinite(frame.values)] = np.nan if dataset.options.missing == "nan" else 0.0
    if frame.y is not None:
        _labels(dataset, piece, lines, frame.y)
    return len(lines.indices) - len(indices)


def _labels(dataset: Dataset, piece: Piece, lines: Lines, out: NDArray[Any]) -> None:
    label = dataset.schema.label
    if label is None or label.classes is None:
        out[:] = lines.y
        return
    out[:] = number_codes(lines.y, label.classes)
    if out.min(initial=0) < 0:
        value = lines.y[np.argmin(out)]
        raise DataError(f"{piece.file}: label {value:g} is not one of the model's classes")
