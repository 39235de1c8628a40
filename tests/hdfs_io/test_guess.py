"""The format that isn't said is guessed from the name and the first rows."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hdfs_io import DataError, ReadOptions, describe, head, scan
from hdfs_io.guess import format_of
from hdfs_io.listing import DataFile

Put = Callable[[str, str | bytes], str]


def file(put: Put, name: str, text: str) -> DataFile:
    return DataFile(put(name, text), len(text))


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        ("a9a", "-1 3:1 11:1 \n+1 5:1 7:1 \n", "libsvm"),
        ("a9a.t", "# made by hand\n1 qid:3 1:2. 2:nan # x\n2\n", "libsvm"),
        ("nolabel", "1:2 3:4\n2:1\n", "libsvm"),
        ("times", "12:30 5\n13:45 6\n", "csv"),
        ("adult.data", "39, State-gov, 77516\n50, Private, 83311\n", "csv"),
        ("x.svm", "1\n", "libsvm"),
        ("X.CSV", "1 1:2\n", "csv"),
        ("half", "PAR1....", "parquet"),
        (
            "docs.txt",
            "The cat sat on the mat.\nDogs bark, and don't care.\n\nWho's there? It's me; the third.\n",
            "text",
        ),
        ("one", "Only a single line of words\n", "text"),
        ("speech", "ALICE: hello there you\nBOB: hi to you too\n", "text"),
        ("words.csv", "The cat sat on the mat.\nDogs bark, and don't care.\n", "csv"),
        ("kinds", "red round small\nblue square large\n", "csv"),
        (
            "towns",
            "Ann Bell, New York City, x\nJo Ray, Los Angeles\nAl Fox, San Jose, y\nEd Lee, La Paz, z\nK L, M N, o\n",
            "csv",
        ),
        ("log", "2026-01-02 12:00:01 INFO all is well\n2026-01-02 12:00:02 WARN is it\n", "csv"),
    ],
)
def test_format(put: Put, name: str, text: str, want: str) -> None:
    assert format_of(file(put, name, text)) == want


@pytest.mark.parametrize("name", ["ap.ldac", "docs"])
def test_bags_of_words_are_not_taken_for_labelled_rows(put: Put, name: str) -> None:
    text = "3 0:1 7:2 9:1\n1 4:1\n0\n"
    assert format_of(file(put, name, text)) == "ldac"
    with pytest.raises(DataError, match=f"{name}: its rows have no label, .*; .* --format libsvm"):
        scan(put(name, text), label="class")
    assert scan(put(name, text), ReadOptions(format="libsvm"), label="class").schema.classes == 3
    for rows in ("1 1:1\n1 2:1\n", "2 1:1 2:1\n1 1:1 2:1\n", "2 1:0.5 2:1\n1 2:1\n"):
        assert format_of(file(put, "rows", rows)) == "libsvm"


@pytest.mark.parametrize("name", ["a.bin", "a.csv", "a.libsvm", "a.tsv.gz"])
@pytest.mark.parametrize("data", [b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256)) * 9, bytes(range(1, 256)) * 9])
def test_binary_files_are_no_text(put: Put, name: str, data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    url = put(name, gzip.compress(data) if name.endswith("gz") else data)
    for look in (describe, head, lambda url: scan(url, label="class")):
        with pytest.raises(DataError, match=f"{name}: not text"):
            look(url)
    assert capfd.readouterr().err == ""


def test_a_short_row_in_latin_1(put: Put, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DataError, match=r"t\.csv:3: 1 column where there should be 2: 'K.ln'"):
        scan(put("t.csv", "a,y\n1,M\xfcnchen\nK\xf6ln\n".encode("latin-1")), label="class")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("packed", [False, True])
def test_what_lies_among_images_is_passed_over(tmp_path: Path, packed: bool) -> None:
    for name, data in (("README.md", b"About cats."), ("cat/Thumbs.db", b"\0" * 9), ("cat/a.jpg", b"\xff\xd8\xff")):
        (tmp_path / "own" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / name).write_bytes(data)
    url = str(tmp_path / "own")
    if packed:
        with tarfile.open(tmp_path / "own.tar", "w") as tar:
            for name in ("README.md", "cat/Thumbs.db", "cat/a.jpg"):
                tar.add(tmp_path / "own" / name, name)
        url = str(tmp_path / "own.tar")
    dataset = scan(url, label=None)
    assert (dataset.rows, dataset.options.format) == (1, "images")
    assert ("2 files passed over, by their names no images" in dataset.notes) != packed
    assert head(url)["class"].to_pylist() == ["cat"]
