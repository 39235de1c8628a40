"""Lines: a block of libsvm text as arrays, with the errors of its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.csr import CSR
from hdfs_io.errors import DataError
from hdfs_io.kernels.libsvm import FINE, INDEX, LARGE, ORDER, TOKEN, VALUE, begins, parse
from hdfs_io.kernels.pack import pack
from hdfs_io.survey import Reject
from hdfs_io.text import MARK, Block

WRONG = {
    INDEX: "no index:value pair",
    LARGE: "an index above 2147483647",
    ORDER: "an index that isn't above the one before",
    VALUE: "no number after the colon",
    TOKEN: "no number after qid:, or one of more than 18 digits",
}
SHOWN = 60  # characters of a wrong line that an error repeats


@dataclass(frozen=True, eq=False)
class Lines:
    """The rows of one block. The arrays are views of a scratch that the next block reuses."""

    y: NDArray[np.float64]  # nan in rows without label
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]  # as written
    values: NDArray[np.float32]
    bare: int  # rows without label
    least: int  # index
    qid: NDArray[np.int64] | None = None  # the group that a row is ranked in, -1 if in none; None: so are all

    def copy(self) -> Self:
        """The rows in arrays of their own."""
        arrays = self.y.copy(), self.indptr.copy(), self.indices.copy(), self.values.copy()
        return type(self)(*arrays, self.bare, self.least, None if self.qid is None else self.qid.copy())

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Rows that follow each other."""
        if len(parts) == 1:
            return parts[0]
        ends = np.cumsum([0, *(len(part.indices) for part in parts)])
        indptr = np.concatenate([[0], *(part.indptr[1:] + end for part, end in zip(parts, ends, strict=False))])
        y, indices, values = (np.concatenate([getattr(p, name) for p in parts]) for name in ("y", "indices", "values"))
        qid = None
        if any(part.qid is not None for part in parts):
            qid = np.concatenate([np.full(len(p.y), -1) if p.qid is None else p.qid for p in parts])
        return cls(y, indptr, indices, values, sum(p.bare for p in parts), min(p.least for p in parts), qid)

    def ordered(self) -> Self:
        """The rows with their indices in order."""
        row = np.repeat(np.arange(len(self.y)), np.diff(self.indptr))
        order = np.lexsort((self.indices, row))
        return replace(self, indices=self.indices[order], values=self.values[order])

    def take(self, rows: NDArray[np.int64]) -> Self:
        part = CSR(self.indptr, self.indices, self.values, 0).take(rows)
        qid = None if self.qid is None else self.qid[rows]
        return type(self)(self.y[rows], part.indptr, part.indices, part.values, self.bare, self.least, qid)


class Scratch:
    """Room for what `size` bytes of text can hold at most: a row takes 2 bytes, a value 4. Untouched room is free."""

    def __init__(self, size: int) -> None:
        rows, values = size // 2 + 2, size // 4 + 2
        self.size = size
        self.y = np.empty(rows)
        self.indptr = np.empty(rows + 1, np.int64)
        self.indices = np.empty(values, np.int32)
        self.values = np.empty(values, np.float32)
        self.slow = np.empty((rows + values, 3), np.int64)
        self.qid = np.empty(rows, np.int64)


@dataclass(frozen=True, eq=False)
class LinePlaces:
    """Where the rows of a block are. Found when first asked for: only errors ask."""

    block: Block
    wrong: tuple[int, ...] = ()  # a byte of each line that is no row

    def place(self, row: int, what: str) -> str:
        """`file:line: what` for the block's row of this number."""
        at, line = self._begins[self._rows[row]].tolist()
        return f"{self.block.where(at, line)}: {what}"

    def error(self, at: int, what: str) -> DataError:
        """The error at data[at], as file:line:column, with the line."""
        line = self.text(at)
        shown = line if len(line) <= SHOWN else line[:SHOWN] + "..."
        begin = max(line_around(self.block, at)[0], _begin(self.block))
        before = self.block.data[begin:at].tobytes().decode(errors="replace")
        column = len(before) + 1 + (self.block.data[at] in b" \t")  # of what stands after a blank
        return DataError(f"{self.block.where(at)}:{column}: {what}: {shown!r}")

    def text(self, at: int) -> str:
        """The line that holds data[at]."""
        begin, end = line_around(self.block, at)
        return self.block.data[begin:end].tobytes().decode(errors="replace").strip()

    @cached_property
    def _rows(self) -> NDArray[np.int64]:
        """The line of each row, among those that hold something."""
        lines = np.searchsorted(self._begins[:, 0], self.wrong, side="right") - 1
        return np.delete(np.arange(len(self._begins)), lines)

    @cached_property
    def _begins(self) -> NDArray[np.int64]:
        block = self.block
        out = np.empty((np.count_nonzero(block.data[block.lo : block.hi] == 10) + 1, 2), np.int64)
        return out[: begins(block.data, _begin(block), block.hi, out)]


def parse_block(block: Block, scratch: Scratch, *, rising: bool = True) -> tuple[Lines, LinePlaces]:
    """The rows of a block of whole lines. Raises DataError naming file and line of what isn't libsvm.

    Where indices needn't be `rising` as they are written, they are put in order.
    """
    places = LinePlaces(block)
    lines, at, wrong = _parse(block, _begin(block), scratch, rising=rising)
    if wrong is not None:
        raise places.error(at, wrong)
    if 0 < lines.bare < len(lines.y):
        raise DataError(f"{places.place(int(np.argmax(np.isnan(lines.y))), 'row')} has no label, others have")
    return lines, places


def parse_good(block: Block, scratch: Scratch, *, rising: bool = True) -> tuple[Lines, LinePlaces, tuple[Reject, ...]]:
    """The rows of a block without the lines that are wrong, and these.

    A row without label among others that have one comes with nan.
    """
    parts: list[Lines] = []
    rejects: list[Reject] = []
    places, wrong_lines = LinePlaces(block), []
    p = _begin(block)
    while p < block.hi or not parts:
        lines, at, wrong = _parse(block, p, scratch, rising=rising)
        parts.append(lines.copy())
        if wrong is None:
            break
        rejects.append(Reject("line", str(places.error(at, wrong)), places.text(at)))
        wrong_lines.append(at)
        p = line_around(block, at)[1]
    joined = Lines.joined(parts)
    mixed = 0 < joined.bare < len(joined.y)
    return replace(joined, bare=0) if mixed else joined, LinePlaces(block, tuple(wrong_lines)), tuple(rejects)


def _begin(block: Block) -> int:
    marked = block.offset == 0 and block.data[block.lo : block.lo + len(MARK)].tobytes() == MARK
    return block.lo + len(MARK) * marked


def line_around(block: Block, at: int) -> tuple[int, int]:
    """The line that holds data[at]: its begin, and the begin of the next."""
    begin, end, step = at, at, 1 << 12
    while begin > block.lo and block.data[begin - 1] != 10:
        begin -= 1
    while end < block.hi:
        found = np.flatnonzero(block.data[end : min(end + step, block.hi)] == 10)
        if len(found):
            return begin, end + int(found[0]) + 1
        end += step
    return begin, block.hi


def _parse(block: Block, lo: int, scratch: Scratch, *, rising: bool) -> tuple[Lines, int, str | None]:
    """The rows of data[lo:hi] until the first line that is wrong: (them, a byte in that line, what is wrong)."""
    room = (scratch.y, scratch.indptr, scratch.indices, scratch.values, scratch.slow, scratch.qid)
    rows, values, slow, bare, least, wrong, at = (int(x) for x in parse(block.data, lo, block.hi, rising, *room))
    why = None if wrong == FINE else WRONG[wrong]
    if slow:
        row, first, said = _settle(block, scratch.slow[:slow], scratch.y, scratch.values, scratch.indptr[: rows + 1])
        if said is not None:
            rows, at, why = row, first, said
            bare = int(np.isnan(scratch.y[:rows]).sum()) if bare else 0
    values = int(scratch.indptr[rows])
    least = int(scratch.indices[:values].min(initial=2**31 - 1)) if why is not None else least
    qid = scratch.qid[:rows] if scratch.qid[:rows].max(initial=-1) >= 0 else None
    arrays = scratch.y[:rows], scratch.indptr[: rows + 1], scratch.indices[:values], scratch.values[:values]
    lines = Lines(*arrays, bare, least, qid)
    return lines if rising else lines.ordered(), at, why


def _settle(
    block: Block, slow: NDArray[np.int64], y: NDArray[Any], values: NDArray[Any], indptr: NDArray[np.int64]
) -> tuple[int, int, str | None]:
    """Put in the numbers that the compiled loop left: those of many digits, and nan and inf.

    Returns (row, place, what is wrong) of the first that is no number; without one that says nothing.
    """
    spans = slow[:, 1:].copy()
    signed = (block.data[spans[:, 0]] == ord("+")) & np.isin(block.data[spans[:, 0] + 1], (43, 45), invert=True)
    spans[:, 0] += signed  # Arrow takes no plus
    offsets = np.zeros(len(spans) + 1, np.int64)
    np.cumsum(spans[:, 1] - spans[:, 0], out=offsets[1:])
    text = np.empty(offsets[-1], np.uint8)
    pack(block.data, spans, offsets, text)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    wrong = None
    try:
        exact = pa.LargeStringArray.from_buffers(len(spans), buffers[1], buffers[2]).cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        found = [_number(block, lo, hi) for lo, hi in spans]
        wrong = next((k for k, x in enumerate(found) if x is None), None)
        exact = np.array([0.0 if x is None else x for x in found])
    place = slow[:, 0]
    y[-1 - place[place < 0]] = exact[place < 0]
    with np.errstate(over="ignore"):  # what is too large for a float32 is inf, and reported as such
        values[place[place >= 0]] = exact[place >= 0]
    if wrong is None:
        return 0, 0, None
    row = -1 - place[wrong] if place[wrong] < 0 else np.searchsorted(indptr, place[wrong], side="right") - 1
    lo, hi = spans[wrong]
    return int(row), int(lo), f"{block.data[lo:hi].tobytes()[:SHOWN].decode(errors='replace')!r} is no number"


def _number(block: Block, lo: int, hi: int) -> float | None:
    try:
        return float(block.data[lo:hi].tobytes().replace(b"_", b"?"))  # to Python alone 1_000 is a number
    except ValueError:
        return None
