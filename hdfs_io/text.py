"""Text: the bytes of a text file, in blocks that end where a row ends."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.errors import DataError
from hdfs_io.foreign import refuse_binary_kind
from hdfs_io.framing import FRAMED, Unpacked, hadoop_blocks, snappy_chunks
from hdfs_io.spoken import many
from hdfs_io.store import open_data

PAD = 64  # newlines kept after the last byte, so that kernels may read on without looking for the end
CODECS = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".zst": "zstd",
    ".lz4": "lz4",
    ".snappy": "snappy",
    ".sz": "snappy",
    ".tgz": "gzip",
}
MAGIC = {b"\x1f\x8b\x08": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4", FRAMED: "snappy"}
OPENING = 1 << 12  # bytes that tell whether a file is text
BLANK = 512  # stored bytes; what is larger holds something
MARK = b"\xef\xbb\xbf"  # UTF-8's byte order mark
LAST = 1 << 62  # the stop of a piece whose length isn't known, as it is compressed

CONTROL = bytes(code for code in range(2, 32) if code not in b"\t\n\v\f\r\x1a")  # Hive separates columns by \x01

Buffer = NDArray[np.uint8]
Border = Callable[[Buffer, int, int, bool], int]  # (bytes, lo, hi, nothing follows) -> place after the last whole row


@dataclass(frozen=True)
class Further:
    """Where another file begins in a block."""

    at: int  # place in the data
    line: int  # of the block, from 0
    url: str
    offset: int  # of what is there, in the (decompressed) file


@dataclass(frozen=True, eq=False)
class Block:
    """Whole rows of text: `data[lo:hi]`, followed by other text or by newlines."""

    data: Buffer  # reused for the next block
    lo: int
    hi: int
    offset: int  # of data[lo] in the (decompressed) file
    url: str = ""
    later: tuple[Further, ...] = ()

    @cached_property
    def line(self) -> int:
        """The number, from 1, of its first line. Reads all before it: for errors."""
        return line_of(self.url, self.offset)

    def where(self, at: int, line: int | None = None) -> str:
        """`file:line` of data[at], which is in the block's `line` from 0 (None: counted)."""
        if line is None:
            line = int(np.count_nonzero(self.data[self.lo : at] == 10))
        before = bisect_right([further.at for further in self.later], at)
        if not before:
            return f"{self.url}:{self.line + line}"
        further = self.later[before - 1]
        return f"{further.url}:{line_of(further.url, further.offset) + line - further.line}"


def codec(url: str) -> str | None:
    """The compression that a file's name tells, else its first bytes."""
    named = named_codec(url)
    if named is not None:
        return named
    with open_data(url) as raw:
        return by_magic(bytes(raw.read(len(FRAMED))))


def named_codec(url: str) -> str | None:
    """The compression that a file's name tells."""
    return next((name for suffix, name in CODECS.items() if url.lower().endswith(suffix)), None)


def by_magic(begin: bytes) -> str | None:
    """The compression that a file's first bytes tell."""
    if begin.startswith(b"BZh") and begin.endswith(b"1AY&SY"):  # a text may well begin with three letters
        return "bz2"
    return next((name for magic, name in MAGIC.items() if begin.startswith(magic)), None)


@contextmanager
def stream(url: str, start: int = 0) -> Iterator[Any]:
    """A binary stream of the decompressed file from byte `start` on, with `readinto`."""
    with open_data(url) as raw:
        begin = bytes(raw.read(len(FRAMED)))
        kind = named_codec(url) or by_magic(begin)
        raw.seek(start if kind is None else 0)
        if kind is None:
            yield raw
            return
        try:
            with _opened(raw, kind, begin) as file:
                skip(file, start)
                yield file
        except OSError as error:
            raise DataError(f"{url}: cut short or not {kind} ({error}); copy it again") from error


def _opened(raw: Any, kind: str, begin: bytes) -> Any:
    """Hadoop frames lz4 and snappy in its own way, which begins with a length."""
    if kind == "snappy":
        return Unpacked(snappy_chunks(raw) if begin.startswith(FRAMED) else hadoop_blocks(raw, kind))
    if kind == "lz4" and by_magic(begin) != kind:
        return Unpacked(hadoop_blocks(raw, kind))
    return pa.CompressedInputStream(pa.PythonFile(raw, "r"), kind)


def skip(file: Any, count: int) -> None:
    """Read and forget `count` bytes."""
    while count > 0:
        got = len(file.read(min(count, 1 << 20)))
        if not got:
            return
        count -= got


def blocks(url: str, start: int, stop: int, size: int, border: Border) -> Iterator[Block]:
    """The bytes [start, stop) of the decompressed file in blocks of about `size` bytes, through one buffer.

    A row longer than `size` makes the buffer grow.
    """
    data = np.empty(size + PAD, np.uint8)
    have, offset = 0, start
    with stream(url, start) as file:
        while True:
            room = min(len(data) - PAD - have, stop - offset - have)
            got = _fill(file, data[have : have + room])
            have += got
            ended = got < room or offset + have >= stop
            data[have : have + PAD] = 10
            if offset == start:
                refuse_binary(data[: min(have, OPENING)].tobytes(), url)
            hi = have if ended else border(data, 0, have, False)
            if hi > 0:
                yield Block(data, 0, hi, offset, url)
            if ended:
                return
            rest = data[hi:have].copy()
            if hi == 0:
                data = np.empty(2 * len(data), np.uint8)
            data[: len(rest)] = rest
            have, offset = len(rest), offset + hi


def refuse_binary(text: bytes, url: str) -> None:
    """Raise DataError for bytes that no text holds: NUL, or many other control characters."""
    refuse_binary_kind(text, url)
    nul, control = 0 in text, len(text) - len(text.translate(None, CONTROL))
    if nul or 50 * control > len(text):
        found = "NUL bytes" if nul else f"{many(control, 'control character')} in {many(len(text), 'byte')}"
        raise DataError(
            f"{url}: not text (it holds {found}); if it is one of the formats that aren't text, say which: --format"
        )


def _fill(file: Any, data: Buffer) -> int:
    """Read until `data` is full or the file ends; returns the bytes read."""
    view, got = data.data, 0
    while got < len(view):
        more = file.readinto(view[got:])
        if not more:
            break
        got += more
    return got


def last_line(data: Buffer, lo: int, hi: int, _whole: bool = False) -> int:
    """The place after the last newline of data[lo:hi]; lo if there is none."""
    step = 1 << 12
    for begin in range(hi, lo, -step):
        found = np.flatnonzero(data[max(lo, begin - step) : begin] == 10)
        if len(found):
            return max(lo, begin - step) + int(found[-1]) + 1
    return lo


def opening(url: str, lines: int = 20, most: int = 32 << 20) -> tuple[bytes, bool]:
    """The file's first decompressed bytes, at least so many lines of it (and 64 KiB), and whether that is all of it."""
    data, have = np.empty(1 << 16, np.uint8), 0
    with stream(url) as file:
        while True:
            have += _fill(file, data[have:])
            refuse_binary(data[: min(have, OPENING)].tobytes(), url)
            if have < len(data) or np.count_nonzero(data == 10) > lines or have >= most:
                return data[:have].tobytes(), have < len(data)
            data = np.concatenate((data, np.empty_like(data)))


def is_blank(url: str, size: int) -> bool:
    """Whether a file of `size` stored bytes holds nothing but blanks, as a compressed part without rows does."""
    if size > BLANK:
        return False
    with stream(url) as file:
        return not bytes(file.read(1 << 20)).removeprefix(MARK).strip()


def magic(url: str) -> bytes:
    """The first 4 bytes of the file as it is stored."""
    with open_data(url) as raw:
        return bytes(raw.read(4))


def line_of(url: str, offset: int) -> int:
    """The number, from 1, of the line that holds the decompressed byte `offset`. Reads all before it: for errors."""
    data, lines = np.empty(1 << 20, np.uint8), 1
    with stream(url) as file:
        while offset > 0:
            got = _fill(file, data[: min(len(data), offset)])
            if not got:
                break
            lines += int(np.count_nonzero(data[:got] == 10))
            offset -= got
    return lines
