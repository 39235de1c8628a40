"""Chunks: what a Parquet file's foot says of the columns of a row group, asked for only where that is safe.

Arrow's library ends the process when it is asked by Python for a foot that contradicts itself. The same is an error
like others where it makes ready to read, so that is tried first, on a file that can't be read from.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, final

import pyarrow as pa
import pyarrow.parquet as pq

from hdfs_io.formats.feet import KNOWN


def chunks(parquet: pq.ParquetFile, url: str, group: int, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The columns of these names that aren't nested, each with its statistics; those that have none are left out.

    `url`: of the file. Raises what Arrow does where the foot contradicts itself.
    """
    if not names:
        return
    _try(parquet, group, names)
    found, wanted = parquet.metadata.row_group(group), frozenset(names)
    for i, (path, physical_type) in enumerate(KNOWN.columns(parquet, url)[: found.num_columns]):
        if path not in wanted:
            continue
        chunk = found.column(i)
        if chunk.physical_type == physical_type and (statistics := chunk.statistics) is not None:
            yield path, statistics


def _try(parquet: pq.ParquetFile, group: int, names: Sequence[str]) -> None:
    empty = _Empty()
    with pq.ParquetFile(empty, metadata=parquet.metadata, buffer_size=1) as trial:
        try:
            next(trial.iter_batches(1, row_groups=[group], columns=list(names), use_threads=False), None)
        except (pa.ArrowException, OSError):
            if not empty.asked:  # else all columns were made ready, and the first was to be read
                raise


@final
class _Empty(io.RawIOBase):
    """A file as large as any, of which no byte can be read."""

    asked = False

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return offset if whence != io.SEEK_END else 1 << 62

    def tell(self) -> int:
        return 1 << 62

    def read(self, _size: int = -1, /) -> bytes:
        self.asked = True
        return b""
