"""Layer: lays batches of columns out as rows: numbers, words by their dictionary, vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset
from hdfs_io.errors import DataError
from hdfs_io.formats.columns import missing_error
from hdfs_io.formats.roles import no_key
from hdfs_io.formats.vectors import unpack
from hdfs_io.formats.views import Views
from hdfs_io.kernels.tiles import lay
from hdfs_io.keys import WANTED, no_whole
from hdfs_io.labels import column_codes, numbers, word_codes
from hdfs_io.room import NAMED, Filled, Frame, Room
from hdfs_io.schema import Input
from hdfs_io.survey import Fault, Place

BATCH = 16384  # rows laid out at a time, fewer where they are wide
CELLS = 1 << 20  # numbers laid out at a time


def scaled(x: NDArray[Any], scale: float) -> NDArray[Any]:
    """Numbers times the scale of their input."""
    return x if scale == 1 else x * np.float64(scale)


class Layer:
    """Lays batches of columns out as rows, through one reused block of columns."""

    def __init__(self, dataset: Dataset, place: Place) -> None:
        """`place` says where a row, by its position in the piece, is."""
        self.dataset = dataset
        self.place = place
        self.kinds = dict(dataset.types)
        self.inputs = dataset.schema.columns
        width = 0 if dataset.schema.sparse else dataset.schema.width
        self.rows = max(1, min(BATCH, CELLS // max(1, width)))
        self.block = np.empty((width, self.rows), np.float32)
        self.begins = np.cumsum([0, *(each.width for each in self.inputs)]).tolist()[:-1]  # the first column of each
        roles = dataset.options.roles.said()
        self.named: dict[str, list[pa.ChunkedArray]] = {role: [] for role in NAMED if role in roles}
        self.dropped = 0

    def columns(self) -> list[str]:
        """The columns that `put` needs."""
        return [each.column for each in self.inputs] + self._extra()

    def filled(self) -> Filled:
        """What was put in."""
        named = {role: [chunk for part in parts for chunk in part.chunks] for role, parts in self.named.items()}
        return Filled(self.dropped, {role: pa.chunked_array(chunks) for role, chunks in named.items() if chunks})

    def put(self, table: pa.Table, first: int, rows: NDArray[np.int64], room: Room) -> None:
        """Put those of the piece's `rows` into the room that lie in the table, which begins at row `first`."""
        inputs = () if self.dataset.schema.sparse else self.inputs
        views = Views.of(table, inputs, self.begins, self.block)
        lies = {each.column for each in inputs}.difference(each.column for _, each in views.made)
        rest = table.select([name for name in self.columns() if name not in lies])
        step = -(-len(table) // max(1, -(-len(table) // self.rows)))  # stretches of the same length
        for lo in range(0, len(table), max(1, step)):
            part = rest.slice(lo, min(step, len(table) - lo))
            low, high = np.searchsorted(rows, (first + lo, first + lo + len(part)))
            if high > low:
                self._put(part, views.after(lo), first + lo, rows[low:high], room)

    def _put(self, table: pa.Table, views: Views, first: int, rows: NDArray[np.int64], room: Room) -> None:
        chosen = rows - first
        if len(rows) < len(table) and self.dataset.schema.sparse:
            table, chosen = table.take(pa.array(chosen)), np.arange(len(rows))
        frame = self._sparse(table, rows, room) if self.dataset.schema.sparse else room.stretch(len(rows))
        if frame.X is not None and self.inputs:
            self._lay(table, views, chosen, frame.X, first)
        kept = table.select(self._extra())
        if len(chosen) < len(table):
            kept = kept.take(pa.array(chosen))
        roles = self.dataset.options.roles
        if frame.y is not None:
            frame.y[:] = self._label(kept.column(roles.label), rows)
        if frame.weight is not None:
            frame.weight[:] = numbers(kept.column(roles.weight))
        for role, parts in self.named.items():
            parts.append(self._carried(role, kept, rows))

    def _extra(self) -> list[str]:
        roles = self.dataset.options.roles
        extra = [roles.label if self.dataset.has_label else None, roles.weight, roles.id, roles.user, roles.item]
        return [str(name) for name in extra if name is not None]

    def _carried(self, role: str, table: pa.Table, rows: NDArray[np.int64]) -> pa.ChunkedArray:
        """The column of this role. DataError where it doesn't say whose a rating is, or of what."""
        name = str(self.dataset.options.roles.said()[role])
        column = table.column(name)
        if role != "id" and (bad := no_key(column)).any():
            raise DataError(self.place(int(rows[int(np.argmax(bad))]), f"{role} {name!r} is missing"))
        if role != "id" and self.kinds.get(name) != "string" and (bad := no_whole(column)).any():
            at = int(np.argmax(bad))
            raise DataError(self.place(int(rows[at]), f"{role} {name!r} holds {column[at]}: {WANTED}"))
        return column

    def _lay(
        self, table: pa.Table, views: Views, chosen: NDArray[np.int64], X: NDArray[np.float32], first: int
    ) -> None:
        """X (chosen rows, width), from where the inputs lie or, where they have to be made, from the block."""
        for begin, each in views.made:
            self._input(table.column(each.column), each, begin, first)
        if lay(views.columns, views.kinds, chosen, X):
            return
        for begin, each in zip(self.begins, self.inputs, strict=True):
            if each.words is None:
                self._fill(X[:, begin : begin + each.width].T, each, begin, first + chosen)

    def _input(self, column: pa.ChunkedArray, each: Input, begin: int, first: int) -> None:
        """Make the input's part of the block."""
        block = self.block[begin : begin + each.width, : len(column)]
        if each.words is not None:
            codes = word_codes(column, each.words)
            block[:] = 0
            known = np.flatnonzero(codes >= 0)
            block[codes[known], known] = 1
            self.dropped += len(codes) - len(known)
            return
        with np.errstate(over="ignore"):
            if each.is_vector:
                block[:] = self._unpacked(column, each, first + np.arange(len(column))).dense().T
            else:
                block[0] = scaled(numbers(column), each.scale)

    def _unpacked(self, column: pa.ChunkedArray, each: Input, rows: NDArray[np.int64]) -> Any:
        stored = unpack(column, each.column, lambda row, what: self.place(int(rows[row]), what))
        if len(column) and stored.width != each.width:
            what = f"column {each.column!r} holds {stored.width} numbers, where the model's data had {each.width}"
            raise DataError(self.place(int(rows[0]), what))
        return replace(stored, width=each.width)

    def _fill(self, block: NDArray[np.float32], each: Input, begin: int, rows: NDArray[np.int64]) -> None:
        """Put in what stands for missing values of the piece's `rows`, or refuse them."""
        missing = self.dataset.options.missing or "stop"
        bad = ~np.isfinite(block)
        if not bad.any():
            return
        if missing == "nan":
            block[bad] = np.nan
            return
        if missing == "stop":
            where = self.place(int(rows[np.argmax(bad.any(axis=0))]), f"column {each.column!r}")
            raise missing_error({each.column: Fault(int(np.count_nonzero(bad)), where)})
        for j in np.flatnonzero(bad.any(axis=1)).tolist():
            means = self.dataset.schema.means
            block[j, bad[j]] = means[begin + j] if missing == "mean" and means is not None else 0.0

    def _sparse(self, table: pa.Table, rows: NDArray[np.int64], room: Room) -> Frame:
        """Room with the only input's vectors in it, stored values that aren't 0 alone."""
        (each,) = self.inputs
        stored = self._unpacked(table.column(each.column), each, rows)
        values = stored.values.copy()
        if not np.isfinite(values).all():
            self._fill(values[None], each, 0, np.repeat(rows, np.diff(stored.indptr)))
        kept = values != 0
        frame = room.stretch(len(table), int(np.count_nonzero(kept)))
        assert frame.counts is not None
        assert frame.indices is not None
        assert frame.values is not None
        frame.counts[:] = np.diff(np.concatenate(([0], np.cumsum(kept)))[stored.indptr])
        frame.indices[:], frame.values[:] = stored.indices[kept], values[kept]
        return frame

    def _label(self, column: pa.ChunkedArray, rows: NDArray[np.int64]) -> NDArray[Any]:
        label = self.dataset.schema.label
        if label is None or label.classes is None:
            return numbers(column)
        codes = column_codes(column, label.classes)
        if codes.min(initial=0) < 0:
            at = int(np.argmin(codes))
            what = f"label {column[at].as_py()!r} is not one of the model's classes"
            raise DataError(self.place(int(rows[at]), what))
        return codes
