"""Views: where the numbers of a table's columns lie in memory, so that they become rows without a copy between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.kernels.tiles import FLOAT32, FLOAT64, INT64
from hdfs_io.schema import Input

KINDS = {pa.float32().id: (FLOAT32, 4), pa.float64().id: (FLOAT64, 8), pa.int64().id: (INT64, 8)}

View = tuple[int, int, int]  # address of the first number, kind, bytes of each


@final
@dataclass(frozen=True, eq=False)
class Views:
    """The columns of dense rows: as they lie in a table, and those that have to be made, in a block."""

    columns: NDArray[np.int64]  # (width,) addresses of the first number of each
    kinds: NDArray[np.uint8]  # (width,)
    sizes: NDArray[np.int64]  # (width,) bytes of a number; 0 for those in the block, which is made for each stretch
    made: tuple[tuple[int, Input], ...]  # the inputs that have to be made, each with its first column

    @classmethod
    def of(cls, table: pa.Table, inputs: Sequence[Input], begins: Sequence[int], block: NDArray[np.float32]) -> Self:
        """`begins`: the first column of each input; `block` (width, rows). Good for as long as table and block are."""
        columns = block.ctypes.data + block.strides[0] * np.arange(len(block))
        kinds, sizes = np.full(len(block), FLOAT32, np.uint8), np.zeros(len(block), np.int64)
        made = []
        for begin, each in zip(begins, inputs, strict=False):
            found = _view(table.column(each.column)) if _is_plain(each) else None
            if found is None:
                made.append((begin, each))
            else:
                columns[begin], kinds[begin], sizes[begin] = found
        return cls(columns, kinds, sizes, tuple(made))

    def after(self, rows: int) -> Self:
        """Where the numbers so many rows on lie."""
        return replace(self, columns=self.columns + rows * self.sizes)


def _is_plain(each: Input) -> bool:
    """Whether an input is numbers as they are."""
    return each.words is None and not each.is_vector and each.scale == 1


def _view(column: pa.ChunkedArray) -> View | None:
    """None for a column whose numbers don't lie side by side as one of the kinds, or of which some are missing."""
    kind, size = KINDS.get(column.type.id, (-1, 0))
    if not size or column.num_chunks != 1:
        return None
    chunk = column.chunk(0)
    numbers = chunk.buffers()[1]
    if chunk.null_count or numbers is None:
        return None
    return numbers.address + size * chunk.offset, kind, size
