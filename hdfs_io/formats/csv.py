"""The CSV format: any separator, with or without header, plain or compressed, cut where a record ends."""

from __future__ import annotations

import csv as sheets
import io
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.bundle import Bundles, Seen, blocks_of
from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.parse import KINDS, Grammar, Types
from hdfs_io.formats.repair import repaired
from hdfs_io.formats.tabular import Batch, Tabular
from hdfs_io.kernels.records import (
    BACKSLASH,
    NEWLINE,
    PLAIN,
    QUOTE,
    RETURN,
    begins,
    doubt,
    holds,
    squeeze,
    unescape,
    walk,
)
from hdfs_io.kinds import Kinds, is_number
from hdfs_io.labels import is_text
from hdfs_io.listing import DataFile
from hdfs_io.options import ReadOptions
from hdfs_io.reader import PIECE, Ask, Reject, Survey
from hdfs_io.spoken import many
from hdfs_io.text import LAST, MARK, Block, Buffer, blocks, codec, last_line, opening

ALL = 1 << 62
BLOCK = 1 << 20  # bytes parsed at a time: the columns that come of them stay in the cache until they are rows
LONGEST = 64 << 20  # bytes of a record; what is longer begins with a quote that closes nothing
WRONG = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)  # Arrow's words

APART = "; --sep says what separates columns, --format text that each line is a text"
SPARK = "; if backslashes stand before quotes that are part of a text, as Spark writes them, say --quote backslash"
NO_TEXT = "holds bytes that are no UTF-8; convert the file, as with `iconv -f latin1 -t utf-8`"


@dataclass(frozen=True)
class Head:
    """What a file begins with."""

    names: tuple[str, ...]
    end: int  # byte where its first row begins
    size: int | None = None  # of the (decompressed) file, if all of it was seen


@dataclass(frozen=True, eq=False)
class Places:
    """Where the records of a block are. Found when first asked for: only errors ask."""

    block: Block
    sep: int
    quote: int

    def place(self, record: int, what: str) -> str:
        """`file:line: what` for the block's record of this number, blank lines not counted."""
        at, line, _ = self.records[record].tolist()
        return f"{self.block.where(at, line)}: {what}"

    def span(self, record: int) -> tuple[int, int]:
        """Where the record begins and ends."""
        following = record + 1 < len(self.records)
        return int(self.records[record, 0]), int(self.records[record + 1, 0]) if following else self.block.hi

    def bytes(self, record: int) -> bytes:
        """The record as it is in the file."""
        begin, end = self.span(record)
        return self.block.data[begin:end].tobytes().strip(b"\r\n")

    def text(self, record: int) -> str:
        """The same, as it can be shown."""
        return self.bytes(record).decode(errors="replace")

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """(records, 3): where each begins, its line in the block, its fields."""
        text = self.block.data[self.block.lo : self.block.hi]
        out = np.empty((np.count_nonzero((text == NEWLINE) | (text == RETURN)) + 1, 3), np.int64)
        n = begins(self.block.data, self.block.lo, self.block.hi, self.sep, self.quote, out)
        return out[:n]


@final
class Csv(Tabular, Bundles):
    """Reads CSV through Arrow's parser, a piece at a time."""

    cuts_by_reading = True  # whether a line end lies within quotes, all quotes before it tell
    guesses_types = True

    def __init__(self, options: ReadOptions, piece: int = PIECE) -> None:
        super().__init__(options, piece)
        self.sep = options.sep or ","
        self.quote = PLAIN if options.quote == "none" else QUOTE
        self.escape = BACKSLASH if options.quote == "backslash" else PLAIN
        self.skip = options.bad_rows == "skip"
        self.head = lru_cache(maxsize=None)(self._head)
        self._seen = Seen()

    def own_names(self, file: DataFile) -> list[str]:
        return list(self.head(file.url).names)

    def cut(self, file: DataFile) -> list[Piece]:
        if not file.size:
            return []
        head = self.head(file.url)
        start = head.end
        if head.size is not None and head.size - start <= self.piece:
            return [Piece(file.url, start, LAST)] if start < head.size else []
        if codec(file.url):
            return [Piece(file.url, start, LAST)]
        if file.size - start <= self.piece:
            return [Piece(file.url, start, file.size)] if start < file.size else []
        runs = blocks(file.url, start, file.size, self.piece, partial(self._border, file.url))
        return [Piece(file.url, b.offset, b.offset + b.hi - b.lo) for b in runs]

    def kin(self, piece: Piece) -> Hashable:
        return self.head(piece.file).names

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, self.head(file.url).end, LAST)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        return self.look(piece, ask)

    def batches(self, piece: Piece, columns: Sequence[str] | None, kinds: Kinds) -> Iterator[Batch]:
        names = self.head(piece.file).names
        known = set(names)
        lost = [name for name in columns or () if name not in known]
        if lost:
            raise DataError(f"{piece.file}: has no column {lost[0]!r}")
        wanted = names if columns is None else columns
        types = {name: KINDS[kind] for name in wanted if (kind := kinds.get(name, "")) in KINDS}
        grammar = Grammar(self.sep, self.quote == QUOTE, names)
        quotes = b'"' if self.quote == QUOTE else b""
        border = partial(self._border, piece.file)
        for block in blocks_of(piece, min(BLOCK, self.piece), border, quotes, self._seen):
            if self.sep == " ":
                block = replace(block, hi=squeeze(block.data, block.lo, block.hi))
            if self.escape != PLAIN:
                block = self._unescaped(block)
            text = block.data[block.lo : block.hi]
            if walk(block.data, block.lo, block.hi, ord(self.sep), 1, self.quote, PLAIN)[0] or text.any():
                yield self._parse(Places(block, ord(self.sep), self.quote), grammar, columns, types)

    def _parse(self, places: Places, grammar: Grammar, columns: Sequence[str] | None, types: Types) -> Batch:
        self._refuse_quotes(places.block, len(grammar.names))
        rejects = self._blank(places, len(grammar.names)) if self.skip else {}
        try:
            table = grammar.parse(places.block, columns, types)
        except pa.ArrowInvalid as error:
            wrong = WRONG.search(str(error))
            if not wrong:
                raise DataError(f"{places.block.url}: {error}") from error
            row, right, there, shown = wrong.groups()
            what = f"{many(int(there), 'column')} where there should be {right}: {shown[:60]!r}"
            more = APART * (right == "1") + SPARK * (self._may_escape() and '\\"' in shown)
            raise DataError(places.place(int(row) - 1, what) + more) from None
        record = np.delete(np.arange(len(table) + len(rejects)), list(rejects))
        if not all(map(is_number, table.schema.types)):
            for name, column in zip(table.column_names, table.columns, strict=True):
                if pa.types.is_binary(column.type):  # what Arrow makes of bytes that are no text
                    row = next(row for row, value in enumerate(column) if value.is_valid and not is_utf8(value.as_py()))
                    raise DataError(places.place(record[row], f"column {name!r} {NO_TEXT}"))
            table = repaired(table, {name for name, kind in types.items() if is_text(kind)})
        return Batch(
            table,
            lambda row, what: places.place(record[row], what),
            tuple(rejects.values()),
            partial(grammar.codes, places.block, table),
        )

    def _blank(self, places: Places, columns: int) -> dict[int, Reject]:
        """Overwrite the block's records that are no rows with line ends: them by number."""
        wrong = dict.fromkeys(np.flatnonzero(places.records[:, 2] != columns).tolist(), "number of columns")
        if not is_utf8(places.block.data[places.block.lo : places.block.hi].tobytes()):
            wrong |= {at: "no UTF-8" for at in range(len(places.records)) if not is_utf8(places.bytes(at))}
        rejects = {at: Reject(kind, places.place(at, kind), places.text(at)) for at, kind in sorted(wrong.items())}
        for at in rejects:
            begin, end = places.span(at)
            places.block.data[begin:end] = ord("\n")
        return rejects

    def _may_escape(self) -> bool:
        """Whether backslashes may escape quotes, though they aren't read so."""
        return self.quote == QUOTE and self.escape == PLAIN

    def _unescaped(self, block: Block) -> Block:
        """The block with doubled quotes where there were escaped ones."""
        end, line = map(int, unescape(block.data, block.lo, block.hi, ord(self.sep)))
        if line >= 0:
            what = 'a quote within quotes is written "" here, and \\" elsewhere in the data; write both alike'
            raise DataError(f"{block.where(block.lo, line)}: {what}")
        return replace(block, hi=end)

    def _refuse_quotes(self, block: Block, columns: int) -> None:
        """Raise DataError for quotes that join rows, or that another way of quoting explains."""
        if self.quote != QUOTE or not holds(block.data, block.lo, block.hi, QUOTE):
            return
        at, _, escaped = map(int, doubt(block.data, block.lo, block.hi, ord(self.sep), columns - 1))
        if at >= 0:
            spark = self._may_escape() and b'\\"' in block.data[block.lo : block.hi].tobytes()
            raise DataError(
                f"{block.where(at)}: the quote here joins lines that look like rows of their own; "
                f"if quotes are characters like others in this file, say --quote none, else close it{SPARK * spark}"
            )
        if escaped >= 0 and self._may_escape():
            raise DataError(
                f"{block.where(escaped)}: text goes on after the quote that closes it{SPARK}; else double it"
            )

    def _border(self, file: str, data: Buffer, lo: int, hi: int, _ended: bool = False) -> int:
        if self.quote != QUOTE or not holds(data, lo, hi, QUOTE):
            return last_line(data, lo, hi)
        border = int(walk(data, lo, hi, ord(self.sep), ALL, self.quote, self.escape)[1])
        if border == lo and hi - lo > LONGEST:
            raise DataError(
                f"{file}: a row of more than {LONGEST >> 20} MiB, which begins {data[lo : lo + 60].tobytes()!r}: "
                "a quote in it closes nothing; if quotes are characters like others, say --quote none"
            )
        return border

    def _fields(self, record: bytes) -> list[str]:
        """The fields of a record that is whole."""
        if self.escape != PLAIN:
            data = np.frombuffer(record, np.uint8).copy()
            record = data[: unescape(data, 0, len(data), ord(self.sep))[0]].tobytes()
        return split(record.decode(), self.sep, quoted=self.quote == QUOTE)

    def _head(self, url: str) -> Head:
        """The names in the header; without one c0, c1, ..., or the features' if there are just as many columns.

        The latter is data to predict, without the label that the model's data had in one of its columns.
        """
        begin, ended = opening(url)
        if ended:
            self._seen.put(url, begin)
        size = len(begin) if ended else None
        text = np.frombuffer(begin + b"\n", np.uint8)
        lo = len(MARK) if text[: len(MARK)].tobytes() == MARK else 0
        rows, end = map(int, walk(text, lo, len(text), ord(self.sep), 1, self.quote, self.escape))
        if not rows:
            raise DataError(f"{url}: its first row has no end; is this CSV?")
        first = text[lo:end].tobytes()
        if not is_utf8(first):
            at = next(at for at, line in enumerate(first.split(b"\n"), 1) if not is_utf8(line))
            raise DataError(f"{url}:{at}: the first row {NO_TEXT}")
        fields = self._fields(first)
        if not self.options.header:
            features = tuple(map(str, self.options.roles.features or ()))
            return Head(features if len(features) == len(fields) else tuple(numbered(len(fields))), lo, size)
        names = tuple(name.strip() or f"c{i}" for i, name in enumerate(fields))
        name, times = Counter(names).most_common(1)[0]
        if times > 1:
            raise DataError(f"{url}: its header has column {name!r} twice; name each column once")
        return Head(names, min(end, len(text) - 1), size)


def numbered(columns: int) -> list[str]:
    """The names of columns that have none."""
    return [f"c{i}" for i in range(columns)]


def is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def split(record: str, sep: str, *, quoted: bool = True) -> list[str]:
    """The fields of the first record in `record`."""
    if sep == " ":
        return record.split()
    if not quoted:
        return next((line.split(sep) for line in record.splitlines() if line), [])
    return next((row for row in sheets.reader(io.StringIO(record, newline=""), delimiter=sep) if row), [])
