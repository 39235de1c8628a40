"""Columns: what the formats with named columns share: looking at them, and laying them out as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset
from hdfs_io.errors import DataError
from hdfs_io.formats.roles import Place, gaps, is_float, look_at_roles
from hdfs_io.kernels.tiles import lay
from hdfs_io.kinds import is_number
from hdfs_io.labels import column_codes, is_text, numbers
from hdfs_io.reader import Ask, Fault, Room, Survey

BATCH = 16384  # rows laid out at a time
PROBE = 1000  # values of a column of words that tell whether it was meant to be numbers
SHOWN = 5  # columns that an error names


def look_at(table: pa.Table, ask: Ask, place: Place) -> Survey:
    """Survey all rows of a table."""
    names = table.column_names
    wanted = set(names).difference(ask.roles) if ask.features is None else set(ask.features)
    features = [name for name in names if name in wanted]
    return replace(
        look_at_roles(table, ask, place),
        columns=tuple((field.name, field.type) for field in table.schema),
        missing={name: fault for name in features if (fault := _missing(table, name, place)) is not None},
        words={name: fault for name in features if (fault := _words(table, name, place, ask)) is not None},
    )


def _missing(table: pa.Table, name: str, place: Place) -> Fault | None:
    column = table.column(name)
    if not is_number(column.type):  # words and empty columns are judged when all pieces were seen
        return None
    return gaps(column, np.float32, lambda row: place(row, f"column {name!r}"))


def _words(table: pa.Table, name: str, place: Place, ask: Ask) -> Fault | None:
    """What is wrong with a column of words that should be, or mostly is, numbers."""
    column = table.column(name)
    if not is_text(column.type):
        return None
    probe = column.slice(0, PROBE).drop_null().to_pylist()
    if ask.features is None and 2 * sum(map(is_float, probe)) <= len(probe):
        return None
    wrong = [row for row, value in enumerate(column.to_pylist()) if value is not None and not is_float(value)]
    if not wrong:
        return None
    return Fault(len(wrong), place(wrong[0], f"column {name!r} holds {column[wrong[0]].as_py()[:40]!r}"))


class Layer:
    """Lays batches of columns out as rows, through one reused block of columns."""

    def __init__(self, dataset: Dataset, place: Place) -> None:
        """`place` says where a row, by its position in the piece, is."""
        self.dataset = dataset
        self.place = place
        self.features = dataset.schema.features or ()
        self.block = np.empty((len(self.features), BATCH), np.float32)
        self.ids: list[pa.ChunkedArray] = []

    def columns(self) -> list[str]:
        """The columns that `put` needs."""
        roles = self.dataset.options.roles
        extra = [roles.label if self.dataset.has_label else None, roles.weight, roles.id]
        return [*self.features, *(str(name) for name in extra if name is not None)]

    def id(self) -> pa.ChunkedArray | None:
        """The id column of all rows put so far."""
        return pa.chunked_array([chunk for column in self.ids for chunk in column.chunks]) if self.ids else None

    def put(self, table: pa.Table, first: int, rows: NDArray[np.int64], room: Room) -> None:
        """Put those of the piece's `rows` into the room that lie in the table: at most BATCH rows, from `first` on."""
        low, high = np.searchsorted(rows, (first, first + len(table)))
        if low == high:
            return
        frame = room.stretch(int(high - low))
        assert frame.X is not None
        for j, name in enumerate(self.features):
            self._feature(table.column(name), j, first)
        rows = rows[low:high] - first
        lay(self.block, rows, frame.X)
        roles = self.dataset.options.roles
        kept = table.select(self.columns()[len(self.features) :])
        if len(rows) < len(table):
            kept = kept.take(pa.array(rows))
        if frame.y is not None:
            frame.y[:] = self._label(kept.column(roles.label), first + rows)
        if frame.weight is not None:
            frame.weight[:] = numbers(kept.column(roles.weight))
        if roles.id is not None:
            self.ids.append(kept.column(roles.id))

    def _feature(self, column: pa.ChunkedArray, j: int, first: int) -> None:
        row = self.block[j, : len(column)]
        with np.errstate(over="ignore"):
            row[:] = numbers(column)
        missing = self.dataset.options.missing
        if missing == "zero":
            np.nan_to_num(row, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
        elif missing == "stop" and not np.isfinite(row).all():
            bad, name = ~np.isfinite(row), self.features[j]
            where = self.place(first + int(np.argmax(bad)), f"column {name!r}")
            raise missing_error({name: Fault(int(np.count_nonzero(bad)), where)})

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


def missing_error(faults: Mapping[str, Fault]) -> DataError:
    """The refusal of features (column -> fault, not empty) without a number."""
    (_, first), *others = faults.items()
    many = f"{first.count:,} feature values are missing, nan or inf (beyond float32 too), the first here"
    if others:
        names = ", ".join(repr(name) for name, _ in others[:SHOWN]) + ", ..." * (len(others) > SHOWN)
        total = sum(fault.count for _, fault in others)
        many += f", and {total:,} in {len(others)} other column{'s' * (len(others) > 1)} ({names})"
    return DataError(f"{first.place}: {many}; leave out such columns, or say --missing nan|zero")
