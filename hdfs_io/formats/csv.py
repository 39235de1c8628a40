"""The CSV format: any separator, with or without header, plain or compressed, cut where a record ends."""

from __future__ import annotations

import csv as sheets
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.columns import BATCH, Layer, look_at
from hdfs_io.formats.repair import repaired
from hdfs_io.kernels.records import squeeze, walk
from hdfs_io.labels import MISSING
from hdfs_io.listing import DataFile
from hdfs_io.options import ReadOptions
from hdfs_io.reader import PIECE, Ask, Filled, Reader, Room, Survey, merged
from hdfs_io.text import LAST, MARK, Block, Buffer, blocks, codec, line_of, opening

ALL = 1 << 62
WRONG = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)  # Arrow's words

NO_TEXT = "holds bytes that are no UTF-8; convert the file, as with `iconv -f latin1 -t utf-8`"


@dataclass(frozen=True)
class Head:
    """What a file begins with."""

    names: tuple[str, ...]
    end: int  # byte where its first row begins


@final
class Csv(Reader):
    """Reads CSV through Arrow's parser, a piece at a time."""

    def __init__(self, options: ReadOptions, piece: int = PIECE) -> None:
        super().__init__(options, piece)
        self.sep = options.sep or ","
        self.head = lru_cache(maxsize=None)(self._head)

    def names(self, file: DataFile) -> list[str]:
        return list(self.head(file.url).names)

    def cut(self, file: DataFile) -> list[Piece]:
        if not file.size:
            return []
        start = self.head(file.url).end
        if codec(file.url):
            return [Piece(file.url, start, LAST)]
        if file.size - start <= self.piece:
            return [Piece(file.url, start, file.size)] if start < file.size else []
        runs = blocks(file.url, start, file.size, self.piece, self._border)
        return [Piece(file.url, b.offset, b.offset + b.hi - b.lo) for b in runs]

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, self.head(file.url).end, LAST)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        surveys, kept = [], []
        for block, table in self._tables(piece):
            surveys.append(look_at(table, ask, partial(self._place, piece.file, block)))
            if ask.keep:
                kept.append(table)
        return replace(merged(surveys), kept=kept if ask.keep else None)

    def fill(self, dataset: Dataset, piece: Piece, rows: NDArray[np.int64], room: Room, kept: Any) -> Filled:
        layer = Layer(dataset, lambda _, what: f"{piece.file}: {what}")
        first = 0
        for whole in kept if kept is not None else (table for _, table in self._tables(piece, layer.columns())):
            for lo in range(0, len(whole), BATCH):
                table = whole.slice(lo, BATCH)
                layer.put(table, first, rows, room)
                first += len(table)
        if first != piece.rows:
            raise DataError(f"{piece.file}: has changed since it was scanned; start again")
        return Filled(id=layer.id())

    def tables(self, piece: Piece, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        for _, table in self._tables(piece, columns):
            yield table

    def _tables(self, piece: Piece, columns: Sequence[str] | None = None) -> Iterator[tuple[Block, pa.Table]]:
        names = self.head(piece.file).names
        known = set(names)
        lost = [name for name in columns or () if name not in known]
        if lost:
            raise DataError(f"{piece.file}: has no column {lost[0]!r}")
        size = min(self.piece, piece.stop - piece.start)
        for block in blocks(piece.file, piece.start, piece.stop, size, self._border):
            if self.sep == " ":
                block = replace(block, hi=squeeze(block.data, block.lo, block.hi))
            if walk(block.data, block.lo, block.hi, ord(self.sep), 1)[0] or block.data[block.lo : block.hi].any():
                yield block, self._parse(piece.file, block, names, columns)

    def _parse(self, file: str, block: Block, names: Sequence[str], columns: Sequence[str] | None) -> pa.Table:
        text = block.data[block.lo : block.hi].data
        read = pacsv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=list(names))
        parse = pacsv.ParseOptions(delimiter=self.sep, newlines_in_values=True)
        convert = pacsv.ConvertOptions(null_values=MISSING, include_columns=columns, timestamp_parsers=[])
        try:
            table = pacsv.read_csv(pa.BufferReader(pa.py_buffer(text)), read, parse, convert)
        except pa.ArrowInvalid as error:
            wrong = WRONG.search(str(error))
            if not wrong:
                raise DataError(f"{file}: {error}") from error
            row, right, columns_there, shown = wrong.groups()
            what = f"{columns_there} columns where there should be {right}: {shown[:60]!r}"
            raise DataError(self._place(file, block, int(row) - 1, what)) from None
        for name, column in zip(table.column_names, table.columns, strict=True):
            if pa.types.is_binary(column.type):  # what Arrow makes of bytes that are no text
                row = next(row for row, value in enumerate(column) if value.is_valid and not is_utf8(value.as_py()))
                raise DataError(self._place(file, block, row, f"column {name!r} {NO_TEXT}"))
        return repaired(table)

    def _place(self, file: str, block: Block, row: int, what: str) -> str:
        _, begin = walk(block.data, block.lo, block.hi, ord(self.sep), row)
        lines = int(np.count_nonzero(block.data[block.lo : begin] == 10))
        return f"{file}:{line_of(file, block.offset) + lines}: {what}"

    def _border(self, data: Buffer, lo: int, hi: int, _ended: bool = False) -> int:
        return int(walk(data, lo, hi, ord(self.sep), ALL)[1])

    def _head(self, url: str) -> Head:
        """The names in the header; without one c0, c1, ..., or the features' if there are just as many columns.

        The latter is data to predict, without the label that the model's data had in one of its columns.
        """
        text = np.frombuffer(opening(url)[0] + b"\n", np.uint8)
        lo = len(MARK) if text[: len(MARK)].tobytes() == MARK else 0
        end = int(walk(text, lo, len(text), ord(self.sep), 1)[1])
        if end == lo:
            raise DataError(f"{url}: its first row has no end; is this CSV?")
        first = text[lo:end].tobytes()
        if not is_utf8(first):
            at = next(at for at, line in enumerate(first.split(b"\n"), 1) if not is_utf8(line))
            raise DataError(f"{url}:{at}: the first row {NO_TEXT}")
        fields = split(first.decode(), self.sep)
        if not self.options.header:
            features = tuple(map(str, self.options.roles.features or ()))
            numbered = tuple(f"c{i}" for i in range(len(fields)))
            return Head(features if len(features) == len(fields) else numbered, lo)
        names = tuple(name.strip() or f"c{i}" for i, name in enumerate(fields))
        name, times = Counter(names).most_common(1)[0]
        if times > 1:
            raise DataError(f"{url}: its header has column {name!r} twice; name each column once")
        return Head(names, min(end, len(text) - 1))


def is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def split(record: str, sep: str) -> list[str]:
    """The fields of the first record in `record`."""
    if sep == " ":
        return record.split()
    return next((row for row in sheets.reader(io.StringIO(record, newline=""), delimiter=sep) if row), [])
