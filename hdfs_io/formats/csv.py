"""The CSV format: any separator, with or without header, plain or compressed, cut where a record ends."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache, partial
from typing import final

import numpy as np
import pyarrow as pa

from hdfs_io.bundle import Bundles, Seen, blocks_of
from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.dialect import SPARK, Dialect
from hdfs_io.formats.head import NO_TEXT, Head, head_of, is_utf8
from hdfs_io.formats.parse import KINDS, Grammar, Types
from hdfs_io.formats.places import Places
from hdfs_io.formats.repair import repaired
from hdfs_io.formats.tabular import Batch, Tabular
from hdfs_io.kinds import Kinds, is_number
from hdfs_io.labels import is_text
from hdfs_io.listing import DataFile
from hdfs_io.options import ReadOptions
from hdfs_io.reader import PIECE
from hdfs_io.spoken import many
from hdfs_io.survey import Ask, Survey
from hdfs_io.text import LAST, blocks, codec, opening

BLOCK = 1 << 20  # bytes parsed at a time: the columns that come of them stay in the cache until they are rows
CELLS = 1 << 10  # bytes of each column in a block, where there are very many: to look at a column costs something
WRONG = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)  # Arrow's words
APART = "; --sep says what separates columns, --format text that each line is a text"


@final
class Csv(Tabular, Bundles):
    """Reads CSV through Arrow's parser, a piece at a time."""

    cuts_by_reading = True  # whether a line end lies within quotes, all quotes before it tell
    guesses_types = True

    def __init__(self, options: ReadOptions, piece: int = PIECE) -> None:
        super().__init__(options, piece)
        self.dialect = Dialect.of(options)
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
        runs = blocks(file.url, start, file.size, self.piece, partial(self.dialect.border, file.url))
        return [Piece(file.url, b.offset, b.offset + b.hi - b.lo) for b in runs]

    def kin(self, piece: Piece) -> Hashable:
        return self.head(piece.file).names

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, self.head(file.url).end, LAST)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        return self.look(piece, ask)

    def batches(self, piece: Piece, columns: Sequence[str] | None, kinds: Kinds) -> Iterator[Batch]:
        names, dialect = self.head(piece.file).names, self.dialect
        known = set(names)
        lost = [name for name in columns or () if name not in known]
        if lost:
            raise DataError(f"{piece.file}: has no column {lost[0]!r}")
        wanted = names if columns is None else columns
        types = {name: KINDS[kind] for name in wanted if (kind := kinds.get(name, "")) in KINDS}
        grammar = Grammar(dialect.sep, dialect.quoted, names)
        border = partial(dialect.border, piece.file)
        size = max(BLOCK, CELLS * len(names))
        for block in blocks_of(piece, min(size, self.piece), border, b'"' if dialect.quoted else b"", self._seen):
            block = dialect.plain(block)
            if not dialect.is_blank(block):
                yield self._parse(Places(block, dialect.byte, dialect.quote), grammar, columns, types)

    def _parse(self, places: Places, grammar: Grammar, columns: Sequence[str] | None, types: Types) -> Batch:
        self.dialect.refuse_quotes(places.block, len(grammar.names))
        rejects = places.blanked(len(grammar.names)) if self.skip else {}
        try:
            table = grammar.parse(places.block, columns, types)
        except pa.ArrowInvalid as error:
            wrong = WRONG.search(str(error))
            if not wrong:
                raise DataError(f"{places.block.url}: {error}") from error
            row, right, there, shown = wrong.groups()
            what = f"{many(int(there), 'column')} where there should be {right}: {shown[:60]!r}"
            more = APART * (right == "1") + SPARK * (self.dialect.may_escape and '\\"' in shown)
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

    def _head(self, url: str) -> Head:
        begin, ended = opening(url)
        if ended:
            self._seen.put(url, begin)
        features = None if self.options.header else tuple(map(str, self.options.roles.features or ()))
        return head_of(url, begin, ended, self.dialect, features)
