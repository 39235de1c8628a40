"""The Parquet format: row groups, laid out as rows by one thread each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import pyarrow as pa
import pyarrow.parquet as pq

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.chunks import chunks
from hdfs_io.formats.columns import look_at
from hdfs_io.formats.feet import KNOWN
from hdfs_io.formats.layer import BATCH
from hdfs_io.formats.magnitude import fits
from hdfs_io.formats.tabular import Batch, Tabular
from hdfs_io.frames import Frames, index_columns
from hdfs_io.kinds import Kinds, is_number, is_vector, plain
from hdfs_io.labels import is_text
from hdfs_io.listing import DataFile
from hdfs_io.merge import merged
from hdfs_io.partitions import with_partitions
from hdfs_io.store import is_here, may_read, open_data, open_fs
from hdfs_io.survey import Ask, Fault, Survey

LONG, LARGE = 1 << 19, 1 << 26  # rows of a row group, and bytes unpacked, beyond which it is read in parts
MOST, BYTES = 1 << 16, 1 << 25  # rows of a part, and bytes
BUFFER = 1 << 16  # bytes that are read at a time of each of its columns
TOGETHER = 8  # columns of any other that are read at a time: what is needed meanwhile stays in the cache
ALL = 1 << 30


@final
class Parquet(Tabular, Frames):
    """Reads Parquet files. A piece is one row group."""

    def own_names(self, file: DataFile) -> list[str]:
        return list(self.schema(file).names)

    def schema(self, file: DataFile) -> pa.Schema:
        with _open(file.url) as parquet:
            return parquet.schema_arrow

    def cut(self, file: DataFile) -> list[Piece]:
        if not file.size:
            return []
        with _open(file.url) as parquet:
            meta = parquet.metadata
            rows = [meta.row_group(g).num_rows for g in range(meta.num_row_groups)]
        return [Piece(file.url, g, g + 1, rows=n) for g, n in enumerate(rows) if n]

    def uncut(self, file: DataFile) -> Piece:
        with _open(file.url) as parquet:
            return Piece(file.url, 0, parquet.metadata.num_row_groups)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        """Numbers are judged by the file's statistics; other columns, and all where rows may be left out, are read."""
        if ask.skip:
            index = index_columns(self.schema(DataFile(piece.file, 0)))
            return replace(self.look(piece, replace(ask, keep=False)), kept=None, index=index)
        groups = range(piece.start, piece.stop)
        with _open(piece.file, groups) as parquet:
            schema = parquet.schema_arrow
            told = _told(parquet, piece, ask)
            surveys, first = [], 0
            for table in _tables(parquet, groups, _to_read(schema, ask, told), _together(piece.file)):
                table.validate(full=True)  # words are UTF-8
                inside = with_partitions(table, piece.file, self.options.partitions, ask.text)
                surveys.append(look_at(inside, ask, partial(_place, piece, first)))
                first += len(table)
        found = merged(surveys)
        kinds = {field.name: plain(field.type) for field in schema} | dict(found.columns)
        columns = tuple((name, plain(kind)) for name, kind in kinds.items())
        gaps = {name: Fault(each.nulls, each.place) for name, each in told.items() if each.nulls}
        ranges = {name: each.range for name, each in told.items() if each.range is not None}
        missing = {**gaps, **found.missing}
        ranges |= found.ranges
        index = index_columns(schema)
        return replace(found, rows=piece.rows, columns=columns, missing=missing, ranges=ranges, index=index)

    def batches(self, piece: Piece, columns: Sequence[str] | None, _kinds: Kinds) -> Iterator[Batch]:
        names = None if columns is None else list(columns)
        groups = range(piece.start, piece.stop)
        with _open(piece.file, groups) as parquet:
            lost = sorted(set(names or ()) - set(parquet.schema_arrow.names))
            if lost:
                raise DataError(f"{piece.file}: has no column {lost[0]!r}")
            first = 0
            for table in _tables(parquet, groups, names, _together(piece.file)):
                yield Batch(table, partial(_place, piece, first))
                first += len(table)


def _tables(
    parquet: pq.ParquetFile, groups: Iterable[int], names: list[str] | None, together: int
) -> Iterator[pa.Table]:
    """All rows of the groups, cut alike whichever columns are read, as row groups put together need it."""
    schema = parquet.schema_arrow
    row = _row(schema)
    many = max(BATCH, min(MOST, BYTES // row)) if row else BATCH
    for group in groups:
        rows = parquet.metadata.row_group(group).num_rows
        if row and rows <= LONG and rows * row <= LARGE:
            yield _whole(parquet, group, schema.names if names is None else names, together)
            continue
        for batch in parquet.iter_batches(many, row_groups=[group], columns=names, use_threads=False):
            yield pa.Table.from_batches([batch])


def _together(url: str) -> int:
    """Columns of a file that are read at a time: few, but all where each time costs."""
    return TOGETHER if is_here(url) else ALL


def _row(schema: pa.Schema) -> int:
    """Bytes of a row unpacked; 0 where they aren't known, as of words."""
    kinds = schema.types
    return sum(int(kind.bit_width) for kind in kinds) // 8 if all(map(is_number, kinds)) else 0


def _whole(parquet: pq.ParquetFile, group: int, names: Sequence[str], together: int) -> pa.Table:
    """A row group, so many columns at a time: a third less work than all of them bit by bit."""
    several = [list(names[k : k + together]) for k in range(0, max(1, len(names)), together)]
    parts = [parquet.read_row_group(group, columns=each, use_threads=False) for each in several]
    if len(parts) == 1:  # its rows count, even if it has no columns
        return parts[0]
    return pa.table({name: part.column(name) for part in parts for name in part.column_names})


def _to_read(schema: pa.Schema, ask: Ask, told: Collection[str]) -> list[str]:
    """The columns that a survey has to see, where statistics have `told` of some."""
    needed = {ask.label, ask.weight, *ask.known}
    for field in schema:
        if not _wanted(field.name, ask):
            continue
        kind = plain(field.type)
        has_words = ask.dictionary == "collect" and (is_text(kind) or pa.types.is_null(kind))
        unknown = is_number(kind) and (ask.means or field.name not in told)
        if has_words or is_vector(kind) or unknown:
            needed.add(field.name)
    return [name for name in schema.names if name in needed]


def _wanted(name: str, ask: Ask) -> bool:
    """Whether the column is a feature."""
    return name in ask.features if ask.features is not None else name not in ask.roles


@contextmanager
def _open(url: str, groups: Sequence[int] = ()) -> Iterator[pq.ParquetFile]:
    """`groups`: that are going to be read. DataError if they aren't there any more."""
    with _elsewhere(url) if not is_here(url) else _here(url, groups) as parquet:
        if groups and groups[-1] >= parquet.metadata.num_row_groups:
            raise DataError(f"{url}: has changed since it was scanned; start again")
        yield parquet


@contextmanager
def _elsewhere(url: str) -> Iterator[pq.ParquetFile]:
    with open_data(url) as raw, _parquet(url, raw, None, buffer_size=0, pre_buffer=True) as parquet:
        yield parquet


@contextmanager
def _here(url: str, groups: Sequence[int]) -> Iterator[pq.ParquetFile]:
    path = open_fs(url)[1]
    with may_read(url):
        foot, file = KNOWN.foot(path), pa.OSFile(path)
    buffer = 0 if foot is not None and groups and _are_small(foot, groups) else BUFFER  # 0: all of a column
    with file as raw, _parquet(url, raw, foot, buffer_size=buffer, pre_buffer=False) as parquet:
        if foot is None:
            KNOWN.keep(path, parquet.metadata)
        yield parquet


def _are_small(foot: pq.FileMetaData, groups: Sequence[int]) -> bool:
    there = [group for group in groups if group < foot.num_row_groups]
    return all(foot.row_group(group).total_byte_size <= LARGE for group in there)


@contextmanager
def _parquet(url: str, raw: Any, foot: pq.FileMetaData | None, **how: Any) -> Iterator[pq.ParquetFile]:
    """What Arrow raises in the block names the file."""
    try:
        with pq.ParquetFile(raw, metadata=foot, **how) as parquet:
            _refuse_twice(url, parquet.schema_arrow.names)
            yield parquet
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the store's, not Arrow's
            raise
        raise DataError(f"{url}: not a whole Parquet file ({error}); write or copy it again") from error


def _refuse_twice(url: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        name, _ = Counter(names).most_common(1)[0]
        raise DataError(f"{url}: its schema has column {name!r} twice; name each column once")


def _place(piece: Piece, first: int, row: int, what: str) -> str:
    return f"{piece.file}: row {first + row} of row group {piece.start}: {what}"


@dataclass(frozen=True)
class Told:
    """What statistics tell of a column of numbers."""

    nulls: int
    range: tuple[float, float] | None  # None where all values are null
    place: str


def _told(parquet: pq.ParquetFile, piece: Piece, ask: Ask) -> dict[str, Told]:
    """The numbers whose statistics tell all that a survey asks: those with nan, inf or none at all are to be read."""
    names = [field.name for field in parquet.schema_arrow if _wanted(field.name, ask) and is_number(field.type)]
    out = {}
    for name, stats in chunks(parquet, piece.file, piece.start, names):
        if not stats.has_null_count or isinstance(stats.min, bytes):  # as of float16
            continue
        if stats.has_min_max:
            ends = float(stats.min), float(stats.max)
        elif stats.null_count == piece.rows:
            ends = None
        else:
            continue
        if ends is None or fits(*ends, (ask.scales or {}).get(name, 1.0)):
            out[name] = Told(stats.null_count, ends, f"{piece.file}: row group {piece.start}, column {name!r}")
    return out
