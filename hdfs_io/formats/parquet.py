"""The Parquet format: row groups, laid out as rows by one thread each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.columns import BATCH, Layer, distinct, gaps, strange
from hdfs_io.kinds import is_number, plain
from hdfs_io.listing import DataFile
from hdfs_io.reader import Ask, Fault, Filled, Frame, Reader, Survey, by_column
from hdfs_io.store import open_read


@final
class Parquet(Reader):
    """Reads Parquet files. A piece is one row group."""

    def names(self, file: DataFile) -> list[str]:
        with _open(file.url) as parquet:
            return list(parquet.schema_arrow.names)

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
        with _open(piece.file) as parquet:
            columns = tuple((field.name, plain(field.type)) for field in parquet.schema_arrow)
            missing = _nulls(parquet, piece, ask)
            label = None
            if ask.label in parquet.schema_arrow.names:
                label = parquet.read_row_group(piece.start, columns=[ask.label], use_threads=False).column(0)
                label = label.cast(plain(label.type))

        def place(row: int, what: str) -> str:
            return f"{piece.file}: row {row} of row group {piece.start}: {what}"

        return Survey(
            rows=piece.rows,
            columns=columns,
            distinct=distinct(label) if label is not None and ask.distinct else None,
            labels=None if label is None else gaps(label, np.float64, lambda row: place(row, "label")),
            strange=None if label is None else strange(label, ask, place),
            missing=missing,
        )

    def fill(self, dataset: Dataset, piece: Piece, rows: NDArray[np.int64], frame: Frame, _kept: Any) -> Filled:
        layer = Layer(dataset, piece.file)
        at = first = 0
        for table in self._batches(piece, layer.columns()):
            low, high = np.searchsorted(rows, (first, first + len(table)))
            if high > low:
                layer.put(table, rows[low:high] - first, frame, at)
            at, first = at + int(high - low), first + len(table)
        return Filled(id=layer.id())

    def tables(self, piece: Piece, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        yield from self._batches(piece, columns)

    def _batches(self, piece: Piece, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        names = None if columns is None else list(columns)
        with _open(piece.file) as parquet:
            lost = sorted(set(names or ()) - set(parquet.schema_arrow.names))
            if lost:
                raise DataError(f"{piece.file}: has no column {lost[0]!r}")
            groups = range(piece.start, piece.stop)
            for batch in parquet.iter_batches(BATCH, row_groups=groups, columns=names, use_threads=False):
                yield pa.Table.from_batches([batch])


@contextmanager
def _open(url: str) -> Iterator[pq.ParquetFile]:
    with open_read(url) as raw:
        try:
            parquet = pq.ParquetFile(raw)
        except pa.ArrowInvalid as error:
            raise DataError(f"{url}: not a whole Parquet file ({error})") from error
        with parquet:
            yield parquet


def _nulls(parquet: pq.ParquetFile, piece: Piece, ask: Ask) -> dict[str, Fault]:
    """Missing features by the file's own statistics; what those don't tell is found when the rows are read."""
    group = parquet.metadata.row_group(piece.start)
    types = {field.name: field.type for field in parquet.schema_arrow}
    faults = []
    for i in range(group.num_columns):
        chunk = group.column(i)
        name, stats = chunk.path_in_schema, chunk.statistics
        wanted = name in ask.features if ask.features is not None else name not in ask.roles
        if wanted and name in types and is_number(types[name]) and stats is not None and stats.null_count:
            faults.append({name: Fault(stats.null_count, f"{piece.file}: row group {piece.start}, column {name!r}")})
    return by_column(faults)
