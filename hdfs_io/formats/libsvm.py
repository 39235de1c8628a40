"""The libsvm format: `label index:value ...`, one sparse row a line, remarks after `#`, `qid:` passed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.lines import Lines, Scratch, parse_block, row_place
from hdfs_io.labels import number_codes
from hdfs_io.listing import DataFile
from hdfs_io.reader import Ask, Fault, Filled, Reader, Room, Survey, by_column, together
from hdfs_io.store import open_read
from hdfs_io.text import LAST, Block, blocks, codec, last_line

BLOCK = 4 << 20  # bytes parsed at a time: what is read and what is made stay in the processor's cache
LABEL = "label"  # the name of a libsvm file's only column besides the features
VALUE = "value"  # stands for all of its features, where columns are named


@dataclass
class Tally:
    """What a survey has seen so far."""

    rows: int = 0
    values: int = 0
    bare: int = 0
    least: int | None = None
    greatest: int = -1


@final
class Libsvm(Reader):
    """Reads libsvm files, parsed by a compiled loop at about memory speed."""

    def names(self, _file: DataFile) -> list[str]:
        return [LABEL]

    def cut(self, file: DataFile) -> list[Piece]:
        if not file.size:
            return []
        if codec(file.url):
            return [Piece(file.url, 0, LAST)]
        inner = [_next_line(file, at) for at in range(self.piece, file.size, self.piece)]
        borders = sorted({0, *inner, file.size})
        return [Piece(file.url, lo, hi) for lo, hi in pairwise(borders)]

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        seen, kept = Tally(), []
        known: NDArray[np.float64] = np.empty(0)
        labels: list[Fault] = []
        strange: list[Fault] = []
        missing: list[Fault] = []
        beyond: list[Fault] = []
        for block, lines in self._parsed(piece):
            _count(seen, lines)
            if ask.label and not lines.bare:
                labels += _fault(block, piece.file, ~_fits(lines.y, ask.precision), "label")
                if ask.classes is not None:
                    codes = number_codes(lines.y, ask.classes)
                    strange += _fault(block, piece.file, codes < 0, f"label {lines.y[np.argmin(codes)]:g}")
                if ask.distinct:
                    known = _more(known, lines.y)
            missing += _value_fault(block, lines, piece.file, ~np.isfinite(lines.values), "value")
            if ask.limit and len(lines.indices):
                low, high = ask.limit
                beyond += _value_fault(block, lines, piece.file, outside(lines.indices, low, high), "index")
            if ask.keep:
                kept.append(lines.copy())
        return Survey(
            rows=seen.rows,
            values=seen.values,
            columns=((LABEL, pa.float64()),),
            distinct=(pa.array(known),) if ask.distinct else None,
            labels=together(labels),
            strange=together(strange),
            missing=by_column([{VALUE: fault} for fault in missing]),
            least=seen.least,
            greatest=seen.greatest,
            beyond=together(beyond),
            bare=seen.bare,
            kept=kept if ask.keep else None,
        )

    def fill(self, dataset: Dataset, piece: Piece, rows: NDArray[np.int64], room: Room, kept: Any) -> Filled:
        first = dropped = 0
        for lines in (lines for _, lines in self._parsed(piece)) if kept is None else kept:
            low, high = np.searchsorted(rows, (first, first + len(lines.y)))
            if high > low:
                part = lines if high - low == len(lines.y) else lines.take(rows[low:high] - first)
                dropped += self._put(dataset, piece, part, room)
            first += len(lines.y)
        _same(piece, first)
        return Filled(dropped)

    def tables(self, piece: Piece, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        for _, lines in self._parsed(piece):
            indptr = pa.array(lines.indptr.astype(np.int32))
            every = {
                LABEL: pa.array(lines.y, mask=np.full(len(lines.y), lines.bare > 0)),
                "indices": pa.ListArray.from_arrays(indptr, pa.array(lines.indices.copy())),
                "values": pa.ListArray.from_arrays(indptr, pa.array(lines.values.copy())),
            }
            yield pa.table(every).select(list(every) if columns is None else list(columns))

    def _parsed(self, piece: Piece) -> Iterator[tuple[Block, Lines]]:
        size = min(BLOCK, self.piece, piece.stop - piece.start)
        scratch = Scratch(size)
        for block in blocks(piece.file, piece.start, piece.stop, size, last_line):
            if block.hi - block.lo > scratch.size:
                scratch = Scratch(block.hi - block.lo)
            yield block, parse_block(block, piece.file, scratch)

    def _put(self, dataset: Dataset, piece: Piece, lines: Lines, room: Room) -> int:
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
        if dataset.options.missing == "zero":
            np.nan_to_num(frame.values, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
        if frame.y is not None:
            self._labels(dataset, piece, lines, frame.y)
        return len(lines.indices) - len(indices)

    def _labels(self, dataset: Dataset, piece: Piece, lines: Lines, out: NDArray[Any]) -> None:
        label = dataset.schema.label
        if label is None or label.classes is None:
            out[:] = lines.y
            return
        out[:] = number_codes(lines.y, label.classes)
        if out.min(initial=0) < 0:
            value = lines.y[np.argmin(out)]
            raise DataError(f"{piece.file}: label {value:g} is not one of the model's classes")


def outside(indices: NDArray[np.int32], low: int, high: int) -> NDArray[np.bool_]:
    return (indices < low) | (indices > high)


def _count(seen: Tally, lines: Lines) -> None:
    seen.rows += len(lines.y)
    seen.values += len(lines.indices)
    seen.bare += lines.bare
    if len(lines.indices):
        seen.least = lines.least if seen.least is None else min(seen.least, lines.least)
        seen.greatest = max(seen.greatest, int(lines.indices.max()))


def _more(known: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sorted values of `known` and `y`; quick where nothing is new."""
    if len(known):
        y = y[known[np.minimum(np.searchsorted(known, y), len(known) - 1)] != y]
    return np.union1d(known, y[np.isfinite(y)]) if len(y) else known


def _fits(y: NDArray[np.float64], dtype: type[np.floating[Any]]) -> NDArray[np.bool_]:
    with np.errstate(over="ignore"):
        return np.asarray(np.isfinite(y.astype(dtype, copy=False)))


def _fault(block: Block, file: str, bad: NDArray[np.bool_], what: str) -> list[Fault]:
    if not bad.any():
        return []
    return [Fault(int(bad.sum()), row_place(block, file, int(np.argmax(bad)), what))]


def _value_fault(block: Block, lines: Lines, file: str, bad: NDArray[np.bool_], what: str) -> list[Fault]:
    if not bad.any():
        return []
    z = int(np.argmax(bad))
    row = int(np.searchsorted(lines.indptr, z, side="right")) - 1
    shown = f"{what} {lines.indices[z]}:{lines.values[z]:g}"
    return [Fault(int(bad.sum()), row_place(block, file, row, shown))]


def _same(piece: Piece, rows: int) -> None:
    if rows != piece.rows:
        raise DataError(f"{piece.file}: has changed since it was scanned: {rows} rows where there were {piece.rows}")


def _next_line(file: DataFile, at: int) -> int:
    """The begin of the first line at or after byte `at`."""
    with open_read(file.url) as stream:
        stream.seek(at - 1)
        while at <= file.size:
            more = stream.read(1 << 16)
            found = more.find(b"\n")
            if found >= 0:
                return int(at + found)
            if not more:
                break
            at += len(more)
    return file.size
