"""Bags of words, matrices, Arrow IPC, IDX, texts, images and sound, each whole or refused."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import wave
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pytest
from PIL import Image
from scipy.io import mmwrite
from scipy.sparse import coo_matrix

from hdfs_io import CSR, DataError, Dataset, ReadOptions, decode_image, decode_wav, head, load, read_arrow, scan, span

Put = Callable[[str, str | bytes], str]


def matrix(dataset: Dataset) -> list[list[float]]:
    parts = [load(dataset, *span(dataset.rows, k, 2)).X for k in range(2)]
    return [row for X in parts for row in (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()]


def rows(dataset: Dataset) -> list[dict[str, Any]]:
    return [row for table in read_arrow(dataset, 0, dataset.rows) for row in table.to_pylist()]


@pytest.mark.parametrize("piece", [1 << 20, 9])
def test_ldac(put: Put, piece: int) -> None:
    url = put("d.ldac", "2 3:1 0:2\n0\n3 1:1 2:5 4:1\n")
    dataset = scan(url, label=None, piece=piece)
    assert (dataset.schema.base, dataset.schema.width) == (0, 5)
    assert matrix(dataset) == [[2, 0, 0, 1, 0], [0] * 5, [0, 1, 5, 0, 1]]
    wrong = put("w.ldac", "2 0:1 1:2\n1 3:1 4:1\n1 1:1\n")
    with pytest.raises(DataError, match=r"w\.ldac:2: says that it holds 1 pairs, and holds 2"):
        scan(wrong, label=None, piece=piece)
    assert matrix(scan(wrong, ReadOptions(bad_rows="skip"), label=None, piece=piece)) == [[1, 2], [0, 1]]


@pytest.mark.parametrize("piece", [1 << 20, 8])
@pytest.mark.parametrize("name", ["docword.x.txt", "docword.x.txt.gz"])
def test_docword(put: Put, name: str, piece: int) -> None:
    text = b"5\n6\n5\n1 2 3\n1 1 7\n3 5 1\n4 1 1\n4 2 2\n"
    dataset = scan(put(name, gzip.compress(text) if name.endswith("gz") else text), label=None, piece=piece)
    assert (dataset.schema.base, dataset.schema.width) == (1, 6)
    assert matrix(dataset) == [[7, 3, 0, 0, 0, 0], [0] * 6, [0, 0, 0, 0, 1, 0], [1, 2, 0, 0, 0, 0], [0] * 6]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("2\n2\n3\n1 1 1\n2 1 1\n", "holds 2 triples where its third line says 3"),
        ("2\n2\n2\n2 1 1\n1 1 1\n", "not in order"),
        ("2\n2\n2\n1 3 1\n2 1 1\n", "lies beyond the 2 and 2"),
        ("2\n2\n2\n1 1 1\n3 1 1\n", "lies beyond"),
        ("2\n2\n2\n1 1 1\n2 1\n", "not lines of `document word count`"),
        ("2\n2\n2\n1 1 x\n2 1 1\n", "not lines of `document word count`"),
        ("2 2\n2\n1 1 1\n2 1 1\n", "does not begin with three lines"),
        (f"{'9' * 5000}\n2\n1\n1 1 1\n", "does not begin with three lines"),
        ("99999999999\n2\n1\n1 1 1\n", "says that it holds 99,999,999,999 rows"),
        ("2000000000\n2\n1\n1 1 1\n", "says that it holds 2,000,000,000 rows, 2 columns and 1 number: too large"),
    ],
)
def test_docword_that_is_none(put: Put, text: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        scan(put("d.txt", text), ReadOptions(format="docword"), label=None)


def test_matrix_market(put: Put) -> None:
    X = np.array([[0, 1.5, 0, 0], [0, 0, 0, 0], [2, 0, -3, 0]])
    out = io.BytesIO()
    mmwrite(out, coo_matrix(X))
    dataset = scan(put("x.mtx", out.getvalue()), label=None)
    assert matrix(dataset) == X.tolist()
    assert matrix(scan(put("x.mtx.gz", gzip.compress(out.getvalue())), label=None)) == X.tolist()
    with pytest.raises(DataError, match=r"cut\.mtx: holds 2 entries where its sizes say 3|cut\.mtx: not lines of"):
        scan(put("cut.mtx", out.getvalue()[:-10]), label=None)


def test_matrix_market_in_other_forms(put: Put) -> None:
    head = "%%MatrixMarket matrix "
    mirrored = scan(put("s.mtx", f"{head}coordinate integer symmetric\n% x\n\n2 2 2\n1 1 3\n2  1 4\n"), label=None)
    assert matrix(mirrored) == [[3, 4], [4, 0]]
    pattern = scan(put("p.mtx", f"{head}coordinate pattern general\n2 3 1\n2 3\n"), label=None)
    assert matrix(pattern) == [[0, 0, 0], [0, 0, 1]]
    array = scan(put("a.mtx", f"{head}array real general\n2 2\n1\n2\n3\n4.5\n"), label=None)
    assert matrix(array) == [[1, 3], [2, 4.5]]
    for text in ("coordinate complex general\n1 1 1\n1 1 1 1\n", "coordinate real general\n1 1\n1 1 1\n"):
        with pytest.raises(DataError, match=r"c\.mtx: its (first line|sizes)"):
            scan(put("c.mtx", head + text), label=None)
    for text in ("array real general\n99999999 99999999\n1\n", "array real general\n2 2\n1\n2\n3\n"):
        with pytest.raises(DataError, match=r"entr(y|ies) where its sizes say"):
            scan(put("c.mtx", head + text), label=None)
    with pytest.raises(DataError, match="says that it holds 1,999,999,999 rows, 1 column and 1 number: too large"):
        scan(put("c.mtx", f"{head}coordinate real general\n1999999999 1 1\n1 1 1\n"), label=None)
    with pytest.raises(DataError, match="an entry lies beyond the 1 row and 1 column"):
        scan(put("c.mtx", f"{head}coordinate real general\n1 1 1\n1 2 1\n"), label=None)


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow(put: Put, kind: str) -> None:
    table = pa.table({"x": np.arange(10.0), "t": ["u", "v"] * 5, "y": [0, 1] * 5})
    out = io.BytesIO()
    with (ipc.new_file if kind == "file" else ipc.new_stream)(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    dataset = scan(put("x.arrow", out.getvalue()), label="class")
    assert len(dataset.pieces) == (4 if kind == "file" else 1)
    assert dataset.schema.features == ("x", "t=u", "t=v")
    assert matrix(dataset) == [[k, k % 2 == 0, k % 2] for k in range(10)]
    assert scan(put("no_suffix", out.getvalue()), label="class").rows == 10
    with pytest.raises(DataError, match=r"cut\.arrow: not whole Arrow IPC"):
        scan(put("cut.arrow", out.getvalue()[:-40]), label="class")


@pytest.mark.parametrize("legacy", [False, True])
def test_an_arrow_stream_without_its_end(put: Put, legacy: bool) -> None:
    """Cut where a message ends, it looks whole to Arrow; one of old Arrow looks so to all."""
    out = io.BytesIO()
    table = pa.table({"x": np.arange(4.0), "y": [0, 1] * 2})
    with ipc.new_stream(out, table.schema, options=ipc.IpcWriteOptions(use_legacy_format=legacy)) as writer:
        ends = [0]
        for _ in range(3):
            writer.write_table(table)
            ends.append(out.tell())
    assert scan(put("whole.arrows", out.getvalue()), label="class").rows == 12
    for end in ends[1:] if not legacy else ():
        with pytest.raises(DataError, match=r"cut\.arrows: not whole Arrow IPC \(its end is missing\)"):
            scan(put("cut.arrows", out.getvalue()[:end]), label="class")


def idx(values: Any) -> bytes:
    array = np.asarray(values, np.uint8)
    head = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.tobytes()


def test_idx(place: str, put: Put) -> None:
    put("d/t-images-idx3-ubyte.gz", gzip.compress(idx([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])))
    put("d/t-labels-idx1-ubyte.gz", gzip.compress(idx([7, 3])))
    dataset = scan(f"{place}/d", label="class")
    assert matrix(dataset) == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes == (3, 7)
    with pytest.raises(DataError, match="cut short"):
        scan(put("c-images-idx3-ubyte", idx([[[1, 2], [3, 4]]])[:-1]), label=None)
    with pytest.raises(DataError, match="holds no rows"):
        scan(put("n-images-idx3-ubyte", idx(np.empty((0, 2, 2), np.uint8))), label=None)
    put("e/t-labels-idx1-ubyte", idx([7]))
    with pytest.raises(DataError, match="holds 1 label for 2 rows"):
        scan(put("e/t-images-idx3-ubyte", idx([[[1]], [[2]]])), label="class")


@pytest.mark.parametrize("piece", [1 << 20, 5])
def test_texts(place: str, put: Put, piece: int) -> None:
    put("d/ham/a.txt", "go on\n\nh\u00e9\u0085llo\r\n")
    put("d/spam/b.txt", b"win, win\nK\xf6ln")
    lines = scan(f"{place}/d", ReadOptions(format="text"), label="class", piece=piece)
    assert [tuple(row.values()) for row in rows(lines)] == [
        ("go on", "ham"),
        ("h\u00e9\u0085llo", "ham"),
        ("win, win", "spam"),
        ("K\u00f6ln", "spam"),
    ]
    y = load(lines, 0, 4).y
    assert y is not None
    assert y.tolist() == [0, 0, 1, 1]
    files = scan(f"{place}/d", ReadOptions(format="files"), label="class")
    assert [row["text"] for row in rows(files)] == ["go on\n\nh\u00e9\u0085llo\r\n", "win, win\nK\u00f6ln"]
    assert [row["file"] for row in rows(files)] == ["a.txt", "b.txt"]


def png(value: int, mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.new(mode, (3, 2), value).save(out, "PNG")
    return out.getvalue()


def tar(mode: str, **files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{mode}") as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_images_in_directories(place: str, put: Put) -> None:
    for k, name in enumerate(("cat/1.png", "cat/2.png", "dog/1.png")):
        put(f"d/{name}", png(k))
    put("d/zz.csv", "no image\n")
    dataset = scan(f"{place}/d", label="class")
    found = rows(dataset)
    assert [(row["class"], row["file"]) for row in found] == [("cat", "1.png"), ("cat", "2.png"), ("dog", "1.png")]
    assert [decode_image(row["bytes"])[0, 0, 0] for row in found] == [0, 1, 2]
    assert decode_image(png(7, "L")).shape == (2, 3, 1)
    with pytest.raises(DataError, match="x: not a whole JPEG or PNG"):
        decode_image(png(7)[:40], "x")


@pytest.mark.parametrize(
    ("name", "mode"), [("cats.tar", ""), ("cats.tar.gz", "gz"), ("cats.tar.bz2", "bz2"), ("cats.tgz", "gz")]
)
@pytest.mark.parametrize("piece", [1 << 20, 600])
def test_images_in_tars(put: Put, name: str, mode: str, piece: int) -> None:
    long = "a" * 150
    whole = tar(mode, **{f"{k}.png": png(k) for k in range(5)}, **{f"dog/{long}.png": png(9), "notes.txt": b"x"})
    dataset = scan(put(name, whole), label="class", piece=piece)
    found = [row for k in range(3) for t in read_arrow(dataset, *span(dataset.rows, k, 3)) for row in t.to_pylist()]
    assert [row["class"] for row in found] == ["cats"] * 5 + ["dog"]
    assert [decode_image(row["bytes"])[0, 0, 0] for row in found] == [0, 1, 2, 3, 4, 9]
    assert len(dataset.pieces) > 1 or piece > 600 or mode
    for cut in (len(whole) // 2, 600 if not mode else len(whole) - 9):
        with pytest.raises(DataError, match=r"cut short|not a whole tar"):
            scan(put(f"cut.{name}", whole[:cut]), ReadOptions(format="images"), label="class")


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_sound(put: Put, width: int) -> None:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(width)
        sound.setframerate(8000)
        top = 1 << (8 * width - 1)
        values = [0, -top, top // 2, top - 1]
        sound.writeframes(
            b"".join(
                (v + 128).to_bytes(1, "little") if width == 1 else v.to_bytes(width, "little", signed=True)
                for v in values
            )
        )
    dataset = scan(put("d/one.wav", out.getvalue()), label=None)
    rate, samples = decode_wav(rows(dataset)[0]["bytes"])
    assert (rate, samples.shape) == (8000, (2, 2))
    assert samples.ravel().tolist() == pytest.approx([0, -1, 0.5, 1], abs=0.01)
    with pytest.raises(DataError, match="x: cut short"):
        decode_wav(out.getvalue()[:-1], "x")
    with pytest.raises(DataError, match="x: not a PCM WAV file"):
        decode_wav(b"RIFFnone", "x")


def test_head_of_each(put: Put) -> None:
    assert head(put("a.png", png(1))).num_rows == 1
    assert head(put("docword.txt", "1\n1\n1\n1 1 1\n")).num_rows == 1
