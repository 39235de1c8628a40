"""A random table in any format, files, framings and cuts: workers together read its rows, each exactly once."""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import tarfile
import wave
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import uuid4

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from hdfs_io import CSR, Dataset, ReadOptions, Roles, decode_image, decode_wav, load, read_arrow, remove, scan, span
from hdfs_io.formats import FORMATS

Bytes = NDArray[np.uint8]
WIDTH = 4  # columns of every table; the last one is 1, so that each file tells the width
CLASSES = ("ham", "spam")


def table(X: Bytes, y: Bytes) -> pa.Table:
    return pa.table({**{f"x{j}": X[:, j] for j in range(WIDTH)}, "y": [CLASSES[k] for k in y]})


def pairs(row: Bytes, base: int) -> list[str]:
    return [f"{j + base}:{x}" for j, x in enumerate(row.tolist()) if x]


def libsvm(X: Bytes, y: Bytes) -> bytes:
    return "".join(f"{k} {' '.join(pairs(x, 1))}\n" for x, k in zip(X, y, strict=True)).encode()


def csv(X: Bytes, y: Bytes) -> bytes:
    out = io.BytesIO()
    pacsv.write_csv(table(X, y), out)
    return out.getvalue()


def tsv(X: Bytes, y: Bytes) -> bytes:
    return "".join("\t".join(map(str, (*x.tolist(), CLASSES[k]))) + "\r\n" for x, k in zip(X, y, strict=True)).encode()


def parquet(X: Bytes, y: Bytes) -> bytes:
    out = io.BytesIO()
    pq.write_table(table(X, y), out, row_group_size=3)
    return out.getvalue()


def vectors(X: Bytes, y: Bytes) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"x": X.astype(float).tolist(), "y": [CLASSES[k] for k in y]}), out, row_group_size=4)
    return out.getvalue()


def arrow(X: Bytes, y: Bytes) -> bytes:
    return arrow_ipc(table(X, y), ipc.new_file)


def arrow_stream(X: Bytes, y: Bytes) -> bytes:
    return arrow_ipc(table(X, y), ipc.new_stream)


def arrow_ipc(rows: pa.Table, new: Callable[..., Any]) -> bytes:
    out = io.BytesIO()
    with new(out, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=3)
    return out.getvalue()


def ldac(X: Bytes, _y: Bytes) -> bytes:
    return "".join(f"{np.count_nonzero(x)} {' '.join(pairs(x, 0))}\n" for x in X).encode()


def docword(X: Bytes, _y: Bytes) -> bytes:
    triples = [f"{i + 1} {j + 1} {X[i, j]}\n" for i, j in zip(*np.nonzero(X), strict=True)]
    return "".join((f"{len(X)}\n{WIDTH}\n{len(triples)}\n", *triples)).encode()


def mm(X: Bytes, _y: Bytes) -> bytes:
    triples = [f"{i + 1} {j + 1} {X[i, j]}\n" for i, j in zip(*np.nonzero(X), strict=True)]
    head = f"%%MatrixMarket matrix coordinate integer general\n{len(X)} {WIDTH} {len(triples)}\n"
    return "".join((head, *triples)).encode()


def idx(X: Bytes, _y: Bytes) -> bytes:
    return bytes((0, 0, 8, 2)) + struct.pack(">2I", *X.shape) + X.tobytes()


def text(X: Bytes, _y: Bytes) -> bytes:
    return "".join(" ".join(map(str, x.tolist())) + "\n" for x in X).encode()


def images(X: Bytes, _y: Bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for i, x in enumerate(X):
            image = io.BytesIO()
            Image.fromarray(x.reshape(2, 2)).save(image, "PNG")
            info = tarfile.TarInfo(f"{i}.png")
            info.size = len(image.getvalue())
            archive.addfile(info, io.BytesIO(image.getvalue()))
    return out.getvalue()


def wav(X: Bytes, _y: Bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for i, x in enumerate(X):
            sound = io.BytesIO()
            with wave.open(sound, "wb") as file:
                file.setparams((1, 1, 8000, WIDTH, "NONE", ""))
                file.writeframes(x.tobytes())
            info = tarfile.TarInfo(f"{i}.wav")
            info.size = len(sound.getvalue())
            archive.addfile(info, io.BytesIO(sound.getvalue()))
    return out.getvalue()


@dataclass(frozen=True)
class Kind:
    """How rows become the bytes of a file, and how that is read."""

    made: Callable[[Bytes, Bytes], bytes]
    name: str  # of part {}
    format: str
    label: str | int | None = "y"
    packs: bool = False  # it may be compressed
    value: Callable[[dict[str, Any]], list[int]] | None = None  # a row as numbers, where it isn't one of features


def of_text(row: dict[str, Any]) -> list[int]:
    return [int(word) for word in row["text"].split()]


def of_image(row: dict[str, Any]) -> list[int]:
    return [int(x) for x in decode_image(row["bytes"]).ravel()]


def of_sound(row: dict[str, Any]) -> list[int]:
    return [round(x * 128 + 128) for x in decode_wav(row["bytes"])[1].ravel().tolist()]


KINDS = {
    "libsvm": Kind(libsvm, "{}.libsvm", "libsvm", label="label", packs=True),
    "csv": Kind(csv, "{}.csv", "csv", packs=True),
    "tsv": Kind(tsv, "{}.tsv", "csv", label=-1, packs=True),
    "parquet": Kind(parquet, "{}.parquet", "parquet"),
    "vectors": Kind(vectors, "{}.parquet", "parquet"),
    "arrow": Kind(arrow, "{}.arrow", "arrow"),
    "stream": Kind(arrow_stream, "{}.arrows", "arrow"),
    "ldac": Kind(ldac, "{}.ldac", "ldac", label=None, packs=True),
    "docword": Kind(docword, "docword.{}.txt", "docword", label=None, packs=True),
    "mm": Kind(mm, "{}.mtx", "mm", label=None, packs=True),
    "idx": Kind(idx, "{}-idx2-ubyte", "idx", label=None, packs=True),
    "text": Kind(text, "{}.txt", "text", label=None, packs=True, value=of_text),
    "files": Kind(text, "{}.txt", "files", label=None, packs=True, value=of_text),
    "images": Kind(images, "{}.tar", "images", label=None, value=of_image),
    "wav": Kind(wav, "{}.tar", "wav", label=None, value=of_sound),
}


def snappy(data: bytes) -> bytes:
    """As Hadoop frames it, in blocks of 100 bytes."""
    out = b""
    for at in range(0, len(data), 100):
        part = data[at : at + 100]
        packed = bytes(pa.Codec("snappy").compress(part, asbytes=True))
        out += len(part).to_bytes(4, "big") + len(packed).to_bytes(4, "big") + packed
    return out


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:]),
    ".bz2": lambda data: bz2.compress(data[:50]) + bz2.compress(data[50:]),
    ".zst": lambda data: bytes(pa.Codec("zstd").compress(data, asbytes=True)),
    ".snappy": snappy,
}


@dataclass(frozen=True)
class Plan:
    """A data set and how it is read."""

    kind: str
    sizes: list[int]  # rows of each file
    packed: str
    workers: int
    piece: int  # bytes
    keep: int  # bytes
    seed: int


def plans(kind: str) -> st.SearchStrategy[Plan]:
    one = kind == "files"  # a row is a file
    return st.builds(
        Plan,
        kind=st.just(kind),
        sizes=st.lists(st.integers(1, 1 if one else 20), min_size=1, max_size=9 if one else 4),
        packed=st.sampled_from(sorted(PACKED) if KINDS[kind].packs else [""]),
        workers=st.integers(1, 6),
        piece=st.integers(16, 400),
        keep=st.sampled_from([0, 1 << 30]),
        seed=st.integers(0, 2**32),
    )


def written(plan: Plan, url: str) -> tuple[Bytes, Bytes]:
    rng, kind = np.random.default_rng(plan.seed), KINDS[plan.kind]
    n = sum(plan.sizes)
    X = (rng.integers(0, 256, (n, WIDTH)) * (rng.random((n, WIDTH)) < 0.6)).astype(np.uint8)
    X[:, -1] = 1
    y = rng.integers(0, 2, n).astype(np.uint8)
    y[:2] = [0, 1][:n]
    fs, path = fsspec.core.url_to_fs(url)
    fs.makedirs(path)
    ends = np.cumsum([0, *plan.sizes])
    for k, (lo, hi) in enumerate(pairwise(ends)):
        data = PACKED[plan.packed](kind.made(X[lo:hi], y[lo:hi]))
        fs.pipe_file(f"{path}/{kind.name.format(f'{k:02d}')}{plan.packed}", data)
    return X, y


def features(dataset: Dataset, lo: int, hi: int) -> list[list[float]]:
    X = load(dataset, lo, hi).X
    return (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()  # type: ignore[no-any-return]


def check(plan: Plan) -> None:
    kind, url = KINDS[plan.kind], f"memory://{uuid4().hex}"
    try:
        X, y = written(plan, url)
        roles = Roles(label=kind.label if kind.format == "csv" or kind.label == "y" else None)
        header = False if plan.kind == "tsv" else None
        dataset = scan(
            url, ReadOptions(format=kind.format, roles=roles, header=header), piece=plan.piece, keep=plan.keep,
            label=None if kind.label is None else "class",
        )  # fmt: skip
        assert dataset.rows == len(X)
        spans = [span(dataset.rows, worker, plan.workers) for worker in range(plan.workers)]
        raw = [row for lo, hi in spans for part in read_arrow(dataset, lo, hi) for row in part.to_pylist()]
        assert len(raw) == len(X)
        if kind.value is not None:
            assert [kind.value(row) for row in raw] == X.tolist()
            return
        assert [row for lo, hi in spans for row in features(dataset, lo, hi)] == X.tolist()
        if kind.label is not None:
            codes = [part for lo, hi in spans if (part := load(dataset, lo, hi).y) is not None]
            assert np.concatenate(codes).tolist() == (y - y.min()).tolist()
    finally:
        remove(url)


def test_no_format_is_left_out() -> None:
    assert {kind.format for kind in KINDS.values()} == set(FORMATS)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(deadline=None, max_examples=12)
def test_rows_read_are_rows_written(kind: str, data: st.DataObject) -> None:
    check(data.draw(plans(kind)))


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(deadline=None, max_examples=1000)
def test_rows_read_are_rows_written_in_full(kind: str, data: st.DataObject) -> None:
    check(data.draw(plans(kind)))
