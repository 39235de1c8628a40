"""Compression by name and by first bytes, in Hadoop's framing too."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pytest

from hdfs_io import DataError, load, scan
from hdfs_io.kernels.crc import TABLE, crc32c
from hdfs_io.kernels.lz4 import unpack

Put = Callable[[str, str | bytes], str]
TEXT = "".join(f"{i % 2} 1:{i} 3:{i * 7 % 11}\n" for i in range(3000)).encode()


def hadoop(text: bytes, kind: str, chunk: int = 5000, block: int = 12_000) -> bytes:
    """As Hadoop's BlockCompressorStream writes it."""

    def parts(data: bytes, size: int) -> Iterator[bytes]:
        return (data[k : k + size] for k in range(0, len(data), size))

    codec = pa.Codec({"lz4": "lz4_raw"}.get(kind, kind))
    out = b""
    for each in parts(text, block):
        out += len(each).to_bytes(4, "big")
        for piece in parts(each, chunk):
            packed = codec.compress(piece, asbytes=True)
            out += len(packed).to_bytes(4, "big") + packed
    return out


def framed(text: bytes) -> bytes:
    """Snappy's own framing."""
    out = b"\xff\x06\x00\x00sNaPpY"
    for k in range(0, len(text), 1 << 15):
        part = text[k : k + (1 << 15)]
        crc = int(crc32c(np.frombuffer(part, np.uint8), TABLE))
        masked = (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
        body = masked.to_bytes(4, "little") + pa.Codec("snappy").compress(part, asbytes=True)
        out += b"\0" + len(body).to_bytes(3, "little") + body
    return out


def arrow(kind: str) -> bytes:
    return bytes(pa.Codec(kind).compress(TEXT, asbytes=True))


FORMS = {
    "t.libsvm.gz": gzip.compress(TEXT[:99]) + gzip.compress(TEXT[99:]),
    "t.libsvm.bz2": bz2.compress(TEXT[:99]) + bz2.compress(TEXT[99:]),
    "t.libsvm.zst": arrow("zstd"),
    "t.libsvm.lz4": arrow("lz4"),
    "hadoop.libsvm.lz4": hadoop(TEXT, "lz4"),
    "hadoop.libsvm.snappy": hadoop(TEXT, "snappy"),
    "t.libsvm.sz": framed(TEXT),
    "part-0": gzip.compress(TEXT),
    "part-1": bz2.compress(TEXT),
    "part-2": arrow("zstd"),
    "part-3": arrow("lz4"),
    "part-4": framed(TEXT),
}


@pytest.mark.parametrize("name", FORMS)
def test_compressed_is_whole_or_refused(put: Put, name: str) -> None:
    dataset = scan(put(name, FORMS[name]), label="class", piece=1000)
    rows = load(dataset, 0, 3000)
    assert dataset.rows == 3000
    assert rows.X.take(np.array([2999])).to_scipy().toarray().tolist() == [[2999, 0, 2999 * 7 % 11]]  # type: ignore[union-attr]
    for cut in (len(FORMS[name]) // 2, len(FORMS[name]) - 1):
        with pytest.raises(DataError, match="cut short or not"):
            scan(put(f"cut.{name}", FORMS[name][:cut]), label="class")


def test_checksums_are_looked_at(put: Put) -> None:
    wrong = bytearray(framed(TEXT))
    wrong[15] ^= 1
    with pytest.raises(DataError, match="a checksum that its data hasn't"):
        scan(put("t.libsvm.sz", bytes(wrong)), label="class")
    assert int(crc32c(np.frombuffer(b"123456789", np.uint8), TABLE)) == 0xE3069283  # RFC 3720's check value


def test_lz4_is_arrows_own() -> None:
    rng = np.random.default_rng(5)
    codec = pa.Codec("lz4_raw")
    for size in (0, 1, 12, 13, 300, 70_000):
        data = rng.integers(0, rng.integers(2, 256), size).astype(np.uint8).tobytes()
        packed = np.frombuffer(codec.compress(data, asbytes=True), np.uint8)
        out = np.empty(size, np.uint8)
        assert unpack(packed, out) == size
        assert out.tobytes() == data
        assert size == 0 or unpack(packed, np.empty(size - 1, np.uint8)) == -1


def test_a_text_that_begins_like_bzip2(put: Put) -> None:
    assert scan(put("t.csv", "BZh9,y\n1,0\n2,1\n"), label="class").rows == 2
