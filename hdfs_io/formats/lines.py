"""Lines: a block of libsvm text as arrays, with the errors of its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.csr import CSR
from hdfs_io.errors import DataError
from hdfs_io.kernels.libsvm import FINE, INDEX, LARGE, ORDER, TOKEN, VALUE, parse
from hdfs_io.kernels.pack import pack
from hdfs_io.text import MARK, Block, line_of

WRONG = {
    INDEX: "no index:value pair",
    LARGE: "an index above 2147483647",
    ORDER: "an index that isn't above the one before",
    VALUE: "no number after the colon",
    TOKEN: "no number after qid:",
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

    def copy(self) -> Self:
        """The rows in arrays of their own."""
        arrays = self.y.copy(), self.indptr.copy(), self.indices.copy(), self.values.copy()
        return type(self)(*arrays, self.bare, self.least)

    def take(self, rows: NDArray[np.int64]) -> Self:
        part = CSR(self.indptr, self.indices, self.values, 0).take(rows)
        return type(self)(self.y[rows], part.indptr, part.indices, part.values, self.bare, self.least)


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


def parse_block(block: Block, file: str, scratch: Scratch) -> Lines:
    """The rows of a block of whole lines. Raises DataError naming file and line of what isn't libsvm."""
    s, lo = block.data, block.lo
    if block.offset == 0 and s[lo : lo + 3].tobytes() == MARK:
        lo += 3
    room = (scratch.y, scratch.indptr, scratch.indices, scratch.values, scratch.slow)
    rows, values, slow, bare, least, wrong, at = (int(x) for x in parse(s, lo, block.hi, *room))
    if wrong != FINE:
        raise wrong_line(block, file, at, WRONG[wrong])
    y, stored = scratch.y[:rows], scratch.values[:values]
    if slow:
        _settle(block, file, scratch.slow[:slow], y, stored)
    if 0 < bare < rows:
        raise DataError(f"{row_place(block, file, int(np.argmax(np.isnan(y))), 'row')} has no label, others have")
    return Lines(y, scratch.indptr[: rows + 1], scratch.indices[:values], stored, bare, least)


def _settle(block: Block, file: str, slow: NDArray[np.int64], y: NDArray[Any], values: NDArray[Any]) -> None:
    """Put in the numbers that the compiled loop left: those of many digits, and nan and inf."""
    spans = slow[:, 1:].copy()
    signed = (block.data[spans[:, 0]] == ord("+")) & np.isin(block.data[spans[:, 0] + 1], (43, 45), invert=True)
    spans[:, 0] += signed  # Arrow takes no plus
    offsets = np.zeros(len(spans) + 1, np.int64)
    np.cumsum(spans[:, 1] - spans[:, 0], out=offsets[1:])
    text = np.empty(offsets[-1], np.uint8)
    pack(block.data, spans, offsets, text)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    try:
        exact = pa.LargeStringArray.from_buffers(len(spans), buffers[1], buffers[2]).cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        exact = np.array([_python(block, file, lo, hi) for lo, hi in spans])
    place = slow[:, 0]
    y[-1 - place[place < 0]] = exact[place < 0]
    with np.errstate(over="ignore"):  # what is too large for a float32 is inf, and reported as such
        values[place[place >= 0]] = exact[place >= 0]


def _python(block: Block, file: str, lo: int, hi: int) -> float:
    token = block.data[lo:hi].tobytes()
    try:
        return float(token.replace(b"_", b"?"))  # to Python alone 1_000 is a number
    except ValueError:
        raise wrong_line(block, file, lo, f"{token[:SHOWN].decode(errors='replace')!r} is no number") from None


def wrong_line(block: Block, file: str, at: int, what: str) -> DataError:
    """The error for the line that holds data[at]."""
    begin = block.data[block.lo : at].tobytes().rfind(b"\n") + 1 + block.lo
    line = block.data[begin : block.hi].tobytes().partition(b"\n")[0].decode(errors="replace").strip()
    shown = line if len(line) <= SHOWN else line[:SHOWN] + "..."
    return DataError(f"{file}:{line_of(file, block.offset + at - block.lo)}: {what}: {shown!r}")


def row_place(block: Block, file: str, row: int, what: str) -> str:
    """`file:line: what` for the block's row of this number."""
    at = 0
    for line in block.data[block.lo : block.hi].tobytes().split(b"\n"):
        if line.partition(b"#")[0].strip():
            if row == 0:
                break
            row -= 1
        at += len(line) + 1
    return f"{file}:{line_of(file, block.offset + at)}: {what}"
