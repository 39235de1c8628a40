"""Places: where the records of a block of CSV are, for who names one or overwrites it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdfs_io.formats.head import is_utf8
from hdfs_io.kernels.records import NEWLINE, RETURN, begins
from hdfs_io.survey import Reject
from hdfs_io.text import Block


@dataclass(frozen=True, eq=False)
class Places:
    """Found when first asked for: only errors ask."""

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

    def blanked(self, columns: int) -> dict[int, Reject]:
        """Overwrite the records that are no rows of so many columns with line ends: them by number."""
        wrong = dict.fromkeys(np.flatnonzero(self.records[:, 2] != columns).tolist(), "number of columns")
        if not is_utf8(self.block.data[self.block.lo : self.block.hi].tobytes()):
            wrong |= {at: "no UTF-8" for at in range(len(self.records)) if not is_utf8(self.bytes(at))}
        rejects = {at: Reject(kind, self.place(at, kind), self.text(at)) for at, kind in sorted(wrong.items())}
        for at in rejects:
            begin, end = self.span(at)
            self.block.data[begin:end] = NEWLINE
        return rejects
