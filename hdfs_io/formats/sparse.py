"""Sparse: what all readers of sparse rows without column names share, whatever their files are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.lines import Lines
from hdfs_io.formats.roles import Mask
from hdfs_io.labels import MOST_LABELS, number_codes, some
from hdfs_io.listing import DataFile
from hdfs_io.reader import Ask, Fault, Filled, Place, Reader, Reject, Room, Survey, by_column, together
from hdfs_io.spoken import many

LABEL = "label"  # the name of the only column besides the features
VALUE = "value"  # stands for all features, where columns are named


@dataclass(frozen=True, eq=False)
class Parsed:
    """Rows that follow each other in a file."""

    lines: Lines
    place: Place  # of a row of them
    rejects: tuple[Reject, ...] = ()  # rows that are no rows, left out already
    greatest: int = -1  # index that the file says there is, whether a row holds it or not


@dataclass(frozen=True, eq=False)
class Wrong:
    """Rows that can't be used as they are, for one reason."""

    kind: str  # "label", "strange", "value" or "index"
    rows: Mask
    count: int  # of labels, values or indices
    what: Callable[[int], str]  # is wrong in a row: the first of them


@dataclass(frozen=True, eq=False)
class Counts:
    """The different labels, sorted, and how many rows have each."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def none(cls) -> Self:
        return cls(np.empty(0), np.empty(0, np.int64))

    def more(self, y: NDArray[np.float64]) -> Self:
        """With those of `y`, nan and inf left out; quick where nothing is new."""
        known, counts = self.values, self.counts
        if len(known):
            at = np.minimum(np.searchsorted(known, y), len(known) - 1)
            old = known[at] == y
            counts, y = counts + np.bincount(at[old], minlength=len(known)), y[~old]
        new, times = np.unique(y[np.isfinite(y)], return_counts=True)
        order = np.argsort(both := np.concatenate((known, new)))
        if len(order) > MOST_LABELS:
            order = order[np.sort(some(both[order]))]
        return type(self)(both[order], np.concatenate((counts, times))[order])

    def arrow(self) -> pa.StructArray:
        return pa.StructArray.from_arrays([pa.array(self.values), pa.array(self.counts)], ["values", "counts"])


@dataclass
class Tally:
    """What a survey has seen so far."""

    rows: int = 0
    values: int = 0
    bare: int = 0
    least: int | None = None
    greatest: int = -1


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
        seen, kept, bad = Tally(), [], []
        faults: dict[str, list[Fault]] = {kind: [] for kind in ("label", "strange", "value", "index")}
        known = Counts.none()
        rejects: list[Reject] = []
        first = 0
        for each in self.parsed(piece):
            lines, wrong = each.lines, list(_wrong(each.lines, ask))
            rejects += each.rejects
            if ask.skip:
                left_out, more = _left_out(each, wrong, ask)
                bad.append(first + np.flatnonzero(left_out))
                rejects += more
                if left_out.any():
                    lines = lines.take(np.flatnonzero(~left_out))
                    wrong = list(_wrong(lines, ask))
            first += len(each.lines.y)
            for found in wrong:
                row = int(np.argmax(found.rows))
                faults[found.kind].append(Fault(found.count, each.place(row, found.what(row))))
            _count(seen, lines)
            seen.greatest = max(seen.greatest, each.greatest)
            if ask.label and not lines.bare and ask.distinct:
                known = known.more(lines.y)
            if ask.keep:
                kept.append(lines.copy())
        return Survey(
            rows=seen.rows,
            values=seen.values,
            columns=((LABEL, pa.float64()),),
            distinct=(known.arrow(),) if ask.distinct else None,
            labels=together(faults["label"]),
            strange=together(faults["strange"]),
            missing=by_column([{VALUE: fault} for fault in faults["value"]]),
            least=seen.least,
            greatest=seen.greatest,
            beyond=together(faults["index"]),
            bare=seen.bare,
            kept=kept if ask.keep else None,
            bad=tuple(np.concatenate(bad).tolist()) if bad else (),
            rejects=tuple(rejects),
        )

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
    def tables(self, piece: Piece, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        for lines in self._good(piece):
            indptr = pa.array(lines.indptr.astype(np.int32))
            every = {
                LABEL: pa.array(lines.y, mask=np.full(len(lines.y), lines.bare > 0)),
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


def _wrong(lines: Lines, ask: Ask) -> Iterator[Wrong]:
    if ask.label and not lines.bare:
        bad = ~_fits(lines.y, ask.precision)
        if bad.any():
            yield Wrong("label", bad, int(bad.sum()), lambda _row: "label")
        if ask.classes is not None:
            bad = number_codes(lines.y, ask.classes) < 0
            if bad.any():
                yield Wrong("strange", bad, int(bad.sum()), lambda row: f"label {lines.y[row]:g}")
    bad = ~np.isfinite(lines.values)
    if bad.any():
        yield _of_values(lines, bad, "value")
    if ask.limit is not None and len(lines.indices):
        bad = outside(lines.indices, *ask.limit)
        if bad.any():
            yield _of_values(lines, bad, "index")


def _of_values(lines: Lines, bad: Mask, kind: str) -> Wrong:
    rows = np.zeros(len(lines.y), np.bool_)
    rows[np.searchsorted(lines.indptr, np.flatnonzero(bad), side="right") - 1] = True

    def what(row: int) -> str:
        begin = lines.indptr[row]
        z = begin + int(np.argmax(bad[begin : lines.indptr[row + 1]]))
        return f"{kind} {lines.indices[z]}:{lines.values[z]:g}"

    return Wrong(kind, rows, int(bad.sum()), what)


def _left_out(each: Parsed, wrong: Sequence[Wrong], ask: Ask) -> tuple[Mask, list[Reject]]:
    """The rows that can't be used, unless the user said how, each with the first reason."""
    bad = np.zeros(len(each.lines.y), np.bool_)
    rejects: list[Reject] = []
    for found in wrong:
        if (found.kind == "value" and ask.missing != "stop") or (found.kind == "index" and ask.unknown == "drop"):
            continue
        rows = np.flatnonzero(found.rows & ~bad).tolist()
        rejects += [Reject(found.kind, each.place(row, found.what(row)), _text(each.lines, row)) for row in rows]
        bad |= found.rows
    return bad, rejects


def _text(lines: Lines, row: int) -> str:
    part = slice(lines.indptr[row], lines.indptr[row + 1])
    pairs = (f"{j}:{x:g}" for j, x in zip(lines.indices[part], lines.values[part], strict=True))
    return " ".join((f"{lines.y[row]:g}", *pairs))


def outside(indices: NDArray[np.int32], low: int, high: int) -> Mask:
    return (indices < low) | (indices > high)


def _count(seen: Tally, lines: Lines) -> None:
    seen.rows += len(lines.y)
    seen.values += len(lines.indices)
    seen.bare += lines.bare
    if len(lines.indices):
        seen.least = lines.least if seen.least is None else min(seen.least, lines.least)
        seen.greatest = max(seen.greatest, int(lines.indices.max()))


def _fits(y: NDArray[np.float64], dtype: type[np.floating[Any]]) -> Mask:
    with np.errstate(over="ignore"):
        return np.asarray(np.isfinite(y.astype(dtype, copy=False)))


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
