"""Mutated files: each is read or refused by name; never a crash, a hang, or other rows than were counted."""

from __future__ import annotations

import gzip
import io
import struct
from typing import Any
from uuid import uuid4

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, ReadOptions, Roles, load, read_arrow, scan
from hdfs_io.formats import FORMATS

TOKENS = [
    b"\n",
    b"\r\n",
    b'"',
    b",",
    b" ",
    b":",
    b"#",
    b"\t",
    b"nan",
    b"-",
    b"1e999",
    b"\xff",
    b"\0",
    b"9" * 25,
    b"0x1",
]
LABELLED = {"libsvm", "csv", "parquet", "arrow", "text"}


def arrow(table: pa.Table, kind: str) -> bytes:
    out = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, out, row_group_size=4)
    else:
        with (ipc.new_file if kind == "arrow" else ipc.new_stream)(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=4)
    return out.getvalue()


def seeds() -> dict[str, tuple[str, bytes]]:
    """A small right file of each kind: name, and bytes."""
    table = pa.table({"x": np.arange(8.0), "t": ["u", "v"] * 4, "v": [[1.0, 2.0]] * 8, "label": [0, 1] * 4})
    sparse = b"1 1:2 3:.5 # x\n0 qid:3 2:1e3\n1 4:12345.678901234567\n" * 3
    return {
        "libsvm": ("a.libsvm", sparse),
        "gzip": ("a.libsvm.gz", gzip.compress(sparse)),
        "snappy": ("a.libsvm.snappy", snappy(sparse)),
        "csv": ("a.csv", b'x,t,label\n1,"a, b",0\n2.5,c,1\n,"d\ne",1\n' + b"1,c,0\n" * 5),
        "tsv": ("a.tsv", b'ham\t"go on"\nspam\twin\n' * 4),
        "parquet": ("a.parquet", arrow(table, "parquet")),
        "arrow": ("a.arrow", arrow(table, "arrow")),
        "stream": ("a.arrows", arrow(table, "stream")),
        "ldac": ("a.ldac", b"2 3:1 0:2\n0\n3 1:1 2:5 4:1\n"),
        "docword": ("docword.txt", b"3\n6\n4\n1 2 3\n1 1 7\n3 5 1\n3 6 1\n"),
        "mm": ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 1.5\n3 1 2\n3 3 -3\n"),
        "idx": ("a-images-idx3-ubyte", b"\0\0\x08\x03" + struct.pack(">3I", 2, 2, 2) + bytes(range(8))),
        "text": ("a.txt", "go on\n\nh\u00e9llo\r\n".encode()),
    }


def snappy(text: bytes) -> bytes:
    packed = bytes(pa.Codec("snappy").compress(text, asbytes=True))
    return len(text).to_bytes(4, "big") + len(packed).to_bytes(4, "big") + packed


def mutated(rng: np.random.Generator, data: bytes) -> bytes:
    """The bytes after one to four small changes."""
    out = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        at = int(rng.integers(0, len(out) + 1))
        match rng.integers(0, 5):
            case 0:
                out[at : at + int(rng.integers(1, 9))] = b""
            case 1:
                out[at:at] = TOKENS[rng.integers(len(TOKENS))]
            case 2:
                out[at : at + 1] = bytes([rng.integers(256)])
            case 3:
                out[at:] = b""
            case _:
                low = int(rng.integers(0, len(out) + 1))
                out[at:at] = out[low : low + 12]
    return bytes(out)


def changed(rng: np.random.Generator, kind: str, data: bytes) -> bytes:
    """The file after small changes; half the time of Parquet's foot alone, whose length is told right then."""
    if kind != "parquet" or rng.integers(2):
        return mutated(rng, data)
    foot = mutated(rng, data[_foot(data) : -8])
    return data[: _foot(data)] + foot + struct.pack("<I", len(foot)) + data[-4:]


def _foot(data: bytes) -> int:
    """Where the foot of a Parquet file begins."""
    return len(data) - int.from_bytes(data[-8:-4], "little") - 8


def try_one(place: str, kind: str, name: str, data: bytes, rng: np.random.Generator) -> bool:
    """Whether the file could be read; then all ways of reading it give the same rows."""
    fs, path = fsspec.core.url_to_fs(f"{place}/{name}")
    fs.pipe_file(path, data)
    form = kind if kind in FORMATS else None
    skip = bool(rng.integers(2))
    options = ReadOptions(
        format=form, bad_rows="skip" if skip else "stop", missing="zero" if rng.integers(2) else "stop",
        roles=Roles(label=0) if kind == "tsv" else Roles(),
    )  # fmt: skip
    label: Any = "any" if kind in LABELLED | {"gzip", "snappy", "tsv", "stream"} else None
    piece = int(rng.choice([16, 64, 1 << 20]))
    refused = ""
    try:
        dataset = scan(f"{place}/{name}", options, label=label, piece=piece)
        if dataset.schema.width > 1 << 20 and not dataset.schema.sparse:
            return False
        whole = load(dataset, 0, dataset.rows)
        tables = sum(len(table) for table in read_arrow(dataset, 0, dataset.rows))
    except DataError as error:
        refused = str(error)
    if refused:
        assert name in refused or place in refused
        return False
    assert len(whole) == dataset.rows == tables
    assert len(whole.X) == dataset.rows
    half = dataset.rows // 2
    parts = [load(dataset, 0, half), load(dataset, half, dataset.rows)]
    assert sum(map(len, parts)) == dataset.rows
    if isinstance(whole.X, np.ndarray):
        assert np.array_equal(np.concatenate([part.X for part in parts]), whole.X, equal_nan=True)
    return True


def fuzz(kind: str, count: int, seed: int) -> int:
    """How many of the mutated files could be read."""
    rng = np.random.default_rng(seed)
    name, data = seeds()[kind]
    place = f"memory://{uuid4().hex}"
    try:
        return sum(try_one(place, kind, name, changed(rng, kind, data), rng) for _ in range(count))
    finally:
        fs, path = fsspec.core.url_to_fs(place)
        fs.rm(path, recursive=True)


@pytest.mark.parametrize("kind", seeds())
def test_mutated_files(kind: str) -> None:
    name, data = seeds()[kind]
    place = f"memory://{uuid4().hex}"
    fsspec.filesystem("memory").makedirs(place.removeprefix("memory:/"))
    assert try_one(place, kind, name, data, np.random.default_rng(1))
    fuzz(kind, 150, 7)


@pytest.mark.full
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("kind", seeds())
def test_mutated_files_in_full(kind: str) -> None:
    fuzz(kind, 77_000, 11)
