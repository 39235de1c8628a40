"""Views: where the numbers of a table's columns lie in memory, so that they become rows without a copy between."""

from __future__ import annotations

import pyarrow as pa

from hdfs_io.kernels.tiles import FLOAT32, FLOAT64, INT64

KINDS = {pa.float32().id: (FLOAT32, 4), pa.float64().id: (FLOAT64, 8), pa.int64().id: (INT64, 8)}

View = tuple[int, int, int]  # address of the first number, kind, bytes of each


def view(column: pa.ChunkedArray) -> View | None:
    """None for a column whose numbers don't lie side by side as one of the kinds, or of which some are missing.

    Good for as long as the column is held.
    """
    kind, size = KINDS.get(column.type.id, (-1, 0))
    if not size or column.num_chunks != 1:
        return None
    chunk = column.chunk(0)
    numbers = chunk.buffers()[1]
    if chunk.null_count or numbers is None:
        return None
    return numbers.address + size * chunk.offset, kind, size
