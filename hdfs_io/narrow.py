"""Narrow: a row group beyond memory, read some columns at a time and put together again on a local disk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.frugal import give_back
from hdfs_io.pile import full_disk, spill_folder

COLUMN = 7 << 19  # bytes that Arrow holds of a column of Parquet while it reads: pages and words, packed and unpacked

Read = Callable[[Sequence[str]], Iterator[pa.Table]]  # these columns in tables whose rows are the same for all


def held(dataset: Dataset, piece: Piece) -> int:
    """About how many bytes the reading of a row group takes besides the rows that come of it."""
    group = 3 * piece.rows * dataset.row_bytes  # packed, unpacked, and their dictionaries
    return min(group, COLUMN * len(dataset.schema.columns)) if dataset.options.format == "parquet" else group


def narrowed(read: Read, columns: Sequence[str], memory: int) -> Iterator[pa.Table]:
    """What `read(columns)` gives, by reading no more columns at a time than `memory` bytes allow.

    Raises DataError if the disk is full.
    """
    many = max(1, memory // COLUMN)
    folder = spill_folder()
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in range(0, len(columns), many)]
        with full_disk(folder):
            for k, file in enumerate(files):
                _write(read(columns[k * many : (k + 1) * many]), file)
                give_back()
        for parts in zip(*map(_read, files), strict=True):
            yield pa.table({name: part.column(name) for part in parts for name in part.schema.names})


def _write(tables: Iterator[pa.Table], file: Any) -> None:
    writer = None
    for table in tables:
        writer = writer or ipc.new_stream(file, table.schema)
        for batch in table.combine_chunks().to_batches():
            writer.write_batch(batch)
    if writer is not None:
        writer.close()
    file.seek(0)


def _read(file: Any) -> Iterator[pa.RecordBatch]:
    yield from ipc.open_stream(file)
