"""Tabular: what all readers of named columns share, whatever their files are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.codes import Codes, Ends
from hdfs_io.dataset import Dataset, Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.columns import look_at, without
from hdfs_io.formats.layer import Layer
from hdfs_io.kinds import NOTHING, Kinds
from hdfs_io.listing import DataFile
from hdfs_io.merge import FOLDED, merged
from hdfs_io.partitions import with_partitions
from hdfs_io.reader import Reader
from hdfs_io.room import Filled, Room
from hdfs_io.survey import Ask, Place, Reject, Survey
from hdfs_io.written import Columns, torn

TEXT = "string"


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows that follow each other in a file."""

    table: pa.Table
    place: Place  # of a row of the table
    rejects: tuple[Reject, ...] = ()  # rows that are no rows, left out already
    codes: Callable[[Ends], Codes] = lambda _: {}  # of its columns, which lie so; asked before the next batch is


class Tabular(Reader):
    """A reader whose files hold tables."""

    @abstractmethod
    def own_names(self, file: DataFile) -> list[str]:
        """The columns in the file itself, in order."""

    @abstractmethod
    def batches(self, piece: Piece, columns: Sequence[str] | None, kinds: Kinds) -> Iterator[Batch]:
        """All rows of the piece. DataError for columns that the file lacks.

        `kinds`: what type columns have over all files, as far as that is known; files that tell it need no such help.
        """

    @final
    def names(self, file: DataFile) -> list[str]:
        return list(dict.fromkeys([*self.own_names(file), *self.options.partitions]))

    @final
    def look(self, piece: Piece, ask: Ask, columns: Sequence[str] | None = None) -> Survey:
        """Survey the piece by reading it; again, where it turns out to hold text in what were numbers before."""
        found, parts = self._look(piece, ask, columns)
        more = torn(parts) - ask.text if self.guesses_types else frozenset()
        return self.look(piece, replace(ask, text=ask.text | more), columns) if more else found

    def _look(self, piece: Piece, ask: Ask, columns: Sequence[str] | None) -> tuple[Survey, set[Columns]]:
        """What the piece holds, and the types that its parts have."""
        surveys, kept, bad, first = [], [], [], 0
        parts: set[Columns] = set()
        for batch in self._batches(piece, columns, dict.fromkeys(ask.text, TEXT)):
            found = look_at(batch.table, ask, batch.place)
            wrong = np.array(found.bad, np.int64)
            parts.add(found.columns)
            surveys.append(replace(found, rejects=batch.rejects + found.rejects, codes=batch.codes(found.ranges)))
            if len(surveys) == FOLDED:
                surveys = [merged(surveys)]
            bad.append(wrong + first)
            first += len(batch.table)
            if ask.keep:
                kept.append(without(batch.table, wrong, ask.text))
        left_out = tuple(np.concatenate(bad).tolist()) if bad else ()
        return replace(merged(surveys), bad=left_out, kept=kept if ask.keep else None), parts

    @final
    def fill(self, dataset: Dataset, piece: Piece, rows: NDArray[np.int64], room: Room, kept: Any) -> Filled:
        layer = Layer(dataset, lambda row, what: self.where(piece, row, what))
        first = 0
        for table in kept if kept is not None else self._good(piece, layer.columns(), dict(dataset.types)):
            layer.put(table, first, rows, room)
            first += len(table)
        if first != piece.rows:
            raise DataError(f"{piece.file}: has changed since it was scanned; start again")
        return layer.filled()

    @final
    def tables(self, piece: Piece, columns: Sequence[str] | None, kinds: Kinds = NOTHING) -> Iterator[pa.Table]:
        yield from self._good(piece, columns, kinds)

    @final
    def places(self, piece: Piece) -> Iterator[tuple[int, Place]]:
        return ((len(batch.table), batch.place) for batch in self._batches(piece, None))

    def _good(self, piece: Piece, columns: Sequence[str] | None, kinds: Kinds = NOTHING) -> Iterator[pa.Table]:
        """The tables without the rows that are left out."""
        first, bad = 0, np.array(piece.bad, np.int64)
        text = _texts(kinds)
        for batch in self._batches(piece, columns, kinds):
            low, high = np.searchsorted(bad, (first, first + len(batch.table)))
            yield without(batch.table, bad[low:high] - first, text)
            first += len(batch.table)

    def _batches(self, piece: Piece, columns: Sequence[str] | None, kinds: Kinds = NOTHING) -> Iterator[Batch]:
        told = self.options.partitions
        if not told:
            yield from self.batches(piece, columns, kinds)
            return
        inside = None if columns is None else [name for name in columns if name not in told]
        outside = told if columns is None else [name for name in columns if name in told]
        words = _texts(kinds)
        for batch in self.batches(piece, inside, kinds):
            table = with_partitions(batch.table, piece.file, outside, words)
            yield replace(batch, table=table if columns is None else table.select(list(columns)))


def _texts(kinds: Kinds) -> frozenset[str]:
    return frozenset(name for name, kind in kinds.items() if kind == TEXT)
