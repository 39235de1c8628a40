"""Dialect: what separates and encloses the fields of CSV, and so where its records end."""

from __future__ import annotations

import csv as sheets
import io
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np

from hdfs_io.errors import DataError
from hdfs_io.kernels.records import BACKSLASH, PLAIN, QUOTE, doubt, holds, squeeze, unescape, walk
from hdfs_io.options import ReadOptions
from hdfs_io.text import Block, Buffer, last_line

ALL = 1 << 62
LONGEST = 64 << 20  # bytes of a record; what is longer begins with a quote that closes nothing
SPARK = "; if backslashes stand before quotes that are part of a text, as Spark writes them, say --quote backslash"


@final
@dataclass(frozen=True)
class Dialect:
    """How records are written."""

    sep: str  # " " stands for any run of blanks
    quote: int  # byte; PLAIN if none encloses fields
    escape: int  # byte before a quote that encloses nothing; PLAIN if it is doubled instead

    @classmethod
    def of(cls, options: ReadOptions) -> Self:
        quote = PLAIN if options.quote == "none" else QUOTE
        return cls(options.sep or ",", quote, BACKSLASH if options.quote == "backslash" else PLAIN)

    @property
    def quoted(self) -> bool:
        return self.quote == QUOTE

    @property
    def byte(self) -> int:
        """The separator's."""
        return ord(self.sep)

    @property
    def may_escape(self) -> bool:
        """Whether backslashes may escape quotes, though they aren't read so."""
        return self.quoted and self.escape == PLAIN

    def border(self, file: str, data: Buffer, lo: int, hi: int, _ended: bool = False) -> int:
        """The place after the last record that ends in data[lo:hi], which begins with one; lo if none does."""
        if not self.quoted or not holds(data, lo, hi, QUOTE):
            return last_line(data, lo, hi)
        border = int(walk(data, lo, hi, self.byte, ALL, self.quote, self.escape)[1])
        if border == lo and hi - lo > LONGEST:
            raise DataError(
                f"{file}: a row of more than {LONGEST >> 20} MiB, which begins {data[lo : lo + 60].tobytes()!r}: "
                "a quote in it closes nothing; if quotes are characters like others, say --quote none"
            )
        return border

    def first(self, data: Buffer, lo: int, hi: int) -> int | None:
        """The place after the first record that holds something; None if none ends there."""
        records, end = map(int, walk(data, lo, hi, self.byte, 1, self.quote, self.escape))
        return end if records else None

    def fields(self, record: bytes) -> list[str]:
        """Those of a record that is whole."""
        if self.escape != PLAIN:
            data = np.frombuffer(record, np.uint8).copy()
            record = data[: unescape(data, 0, len(data), self.byte)[0]].tobytes()
        return split(record.decode(), self.sep, quoted=self.quoted)

    def plain(self, block: Block) -> Block:
        """The block, rewritten in place, with one blank for each run of them and doubled quotes for escaped ones."""
        if self.sep == " ":
            block = replace(block, hi=squeeze(block.data, block.lo, block.hi))
        if self.escape == PLAIN:
            return block
        end, line = map(int, unescape(block.data, block.lo, block.hi, self.byte))
        if line >= 0:
            what = 'a quote within quotes is written "" here, and \\" elsewhere in the data; write both alike'
            raise DataError(f"{block.where(block.lo, line)}: {what}")
        return replace(block, hi=end)

    def is_blank(self, block: Block) -> bool:
        """Whether a block that is plain holds no record."""
        text = block.data[block.lo : block.hi]
        return not walk(block.data, block.lo, block.hi, self.byte, 1, self.quote, PLAIN)[0] and not text.any()

    def refuse_quotes(self, block: Block, columns: int) -> None:
        """Raise DataError for quotes that join rows, or that another way of quoting explains."""
        if not self.quoted or not holds(block.data, block.lo, block.hi, QUOTE):
            return
        at, _, escaped = map(int, doubt(block.data, block.lo, block.hi, self.byte, columns - 1))
        if at >= 0:
            spark = self.may_escape and b'\\"' in block.data[block.lo : block.hi].tobytes()
            raise DataError(
                f"{block.where(at)}: the quote here joins lines that look like rows of their own; "
                f"if quotes are characters like others in this file, say --quote none, else close it{SPARK * spark}"
            )
        if escaped >= 0 and self.may_escape:
            where = block.where(escaped)
            raise DataError(f"{where}: text goes on after the quote that closes it{SPARK}; else double it")


def split(record: str, sep: str, *, quoted: bool = True) -> list[str]:
    """The fields of the first record in `record`."""
    if sep == " ":
        return record.split()
    if not quoted:
        return next((line.split(sep) for line in record.splitlines() if line), [])
    return next((row for row in sheets.reader(io.StringIO(record, newline=""), delimiter=sep) if row), [])
