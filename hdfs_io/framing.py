"""Framing: streams of snappy and lz4 as Hadoop writes them, and snappy's own.

Hadoop (BlockCompressorStream): a block is its length before compression, 4 bytes big-endian, then chunks until these
make that length, each its compressed length, 4 bytes big-endian, and its bytes. Snappy's own (framing_format.txt):
chunks of a type byte, a length of 3 bytes little-endian, a checksum of the data, and the data.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, final

import numpy as np
import pyarrow as pa

from hdfs_io.kernels.crc import TABLE, crc32c
from hdfs_io.kernels.lz4 import unpack

MOST = 1 << 28  # bytes of a block; more is no framing
FRAMED = b"\xff\x06\x00\x00sNaPpY"  # how snappy's own begins
STORED, PACKED = 1, 0  # its chunks that hold data


@final
class Unpacked(io.RawIOBase):
    """The decompressed bytes of a stream of blocks. OSError where it is cut short or no such stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def hadoop_blocks(raw: Any, kind: str) -> Iterator[bytes]:
    """The blocks of Hadoop's framing; `kind` is snappy or lz4."""
    codec = pa.Codec("snappy") if kind == "snappy" else None
    while head := _read(raw, 4, may_end=True):
        left = int.from_bytes(head, "big")
        if left > MOST:
            raise OSError(f"a block of {left:,} bytes")
        while left:
            size = int.from_bytes(_read(raw, 4), "big")
            if size > MOST:
                raise OSError(f"a chunk of {size:,} bytes")
            chunk = _read(raw, size)
            data = _snappy(codec, chunk, left) if codec is not None else _lz4(chunk, left)
            left -= len(data)
            yield data


def snappy_chunks(raw: Any) -> Iterator[bytes]:
    """The data of snappy's own framing."""
    codec = pa.Codec("snappy")
    while head := _read(raw, 4, may_end=True):
        kind, size = head[0], int.from_bytes(head[1:], "little")
        chunk = _read(raw, size)
        if kind in (STORED, PACKED):
            data = chunk[4:] if kind == STORED else _snappy(codec, chunk[4:], 1 << 16)
            if _masked(_crc32c(data)) != int.from_bytes(chunk[:4], "little"):
                raise OSError("a checksum that its data hasn't")
            yield data
        elif 0x02 <= kind <= 0x7F:
            raise OSError(f"a chunk of the unknown type {kind}")


def _read(raw: Any, count: int, *, may_end: bool = False) -> bytes:
    parts, have = [], 0
    while have < count:
        more = raw.read(count - have)
        if not more:
            break
        parts.append(bytes(more))
        have += len(more)
    if have < count and (have or not may_end):
        raise OSError("it ends inside a block")
    return b"".join(parts)


def _snappy(codec: Any, chunk: bytes, most: int) -> bytes:
    """Decompress a chunk, which begins with its length as a varint."""
    size = shift = 0
    for byte in chunk[:5]:
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if size > most:
        raise OSError("a chunk that is longer than its block")
    try:
        return bytes(codec.decompress(chunk, size, asbytes=True))
    except pa.ArrowException as error:
        raise OSError(str(error)) from error


def _lz4(chunk: bytes, most: int) -> bytes:
    out = np.empty(most, np.uint8)
    size = int(unpack(np.frombuffer(chunk, np.uint8), out))
    if size < 0:
        raise OSError("a chunk that is no LZ4")
    return out[:size].tobytes()


def _masked(crc: int) -> int:
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _crc32c(data: bytes) -> int:
    return int(crc32c(np.frombuffer(data, np.uint8), TABLE))
