"""The Arrow IPC format, as files and as streams (Feather version 2 is the former)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, final

import pyarrow as pa
import pyarrow.ipc as ipc

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.tabular import Batch, Tabular
from hdfs_io.frames import Frames, index_columns
from hdfs_io.kinds import Kinds
from hdfs_io.listing import DataFile
from hdfs_io.store import open_data
from hdfs_io.survey import Ask, Survey

MAGIC = b"ARROW1"
MARK = b"\xff" * 4  # what a message of a stream begins with
END = MARK + bytes(4)  # the last, of no length


@final
class Arrow(Tabular, Frames):
    """Reads Arrow IPC. A piece is a record batch of a file; a stream, whose parts can't be found, is one piece."""

    def own_names(self, file: DataFile) -> list[str]:
        return list(self.schema(file).names)

    def schema(self, file: DataFile) -> pa.Schema:
        with _open(file.url) as reader:
            return reader.schema

    def cut(self, file: DataFile) -> list[Piece]:
        if not file.size:
            return []
        with _open(file.url) as reader:
            parts = reader.num_record_batches if isinstance(reader, ipc.RecordBatchFileReader) else 1
        return [Piece(file.url, k, k + 1) for k in range(parts)]

    def uncut(self, file: DataFile) -> Piece:
        with _open(file.url) as reader:
            parts = reader.num_record_batches if isinstance(reader, ipc.RecordBatchFileReader) else 1
        return Piece(file.url, 0, parts)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        return replace(self.look(piece, ask), index=index_columns(self.schema(DataFile(piece.file, 0))))

    def batches(self, piece: Piece, columns: Sequence[str] | None, _kinds: Kinds) -> Iterator[Batch]:
        with _open(piece.file) as reader:
            lost = sorted(set(columns or ()) - set(reader.schema.names))
            if lost:
                raise DataError(f"{piece.file}: has no column {lost[0]!r}")
            from_file = isinstance(reader, ipc.RecordBatchFileReader)
            parts = map(reader.get_batch, range(piece.start, piece.stop)) if from_file else reader
            first = 0
            for part in parts:
                part.validate(full=True)
                table = pa.Table.from_batches([part])
                place = partial(_place, piece, first)
                yield Batch(table if columns is None else table.select(list(columns)), place)
                first += len(table)
            if not from_file:
                _refuse_cut(piece.file)


def _refuse_cut(url: str) -> None:
    """Refuse a stream that was cut where a message ends: to Arrow such a one has ended, but its writer says so."""
    with open_data(url) as raw:
        marked = bytes(raw.read(len(MARK))) == MARK  # else older than Arrow 0.15: its end looks like any
        raw.seek(-len(END), os.SEEK_END)
        if marked and bytes(raw.read(len(END))) != END:
            raise DataError(f"{url}: not whole Arrow IPC (its end is missing); write or copy it again")


@contextmanager
def _open(url: str) -> Iterator[Any]:
    """A reader of either kind of IPC; what Arrow raises in the block names the file."""
    with open_data(url) as raw:
        try:
            is_file = bytes(raw.read(len(MAGIC))) == MAGIC
            raw.seek(0)
            with (ipc.open_file if is_file else ipc.open_stream)(pa.PythonFile(raw, "r")) as reader:
                twice = [name for name in reader.schema.names if reader.schema.names.count(name) > 1]
                if twice:
                    raise DataError(f"{url}: its schema has column {twice[0]!r} twice; name each column once")
                yield reader
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the store's, not Arrow's
                raise
            raise DataError(f"{url}: not whole Arrow IPC ({error}); write or copy it again") from error


def _place(piece: Piece, first: int, row: int, what: str) -> str:
    return f"{piece.file}: row {first + row} of record batch {piece.start}: {what}"
