"""Small files are read many at a time, and nothing that is found depends on it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from hdfs_io import CSR, DataError, Dataset, LabelKind, ReadOptions, Rows, load, open_fs, read_arrow, remove, scan
from hdfs_io import bundle as module
from yarnml.cluster import Cluster

FILES = 200
Make = Callable[[int], str]


def sparse(k: int) -> str:
    return f"{k % 2} 1:{k}\n# of file {k}\n\n{(k + 1) % 2} 2:0.5 3:{k}" + "\n" * (k % 3)


def comma(k: int) -> str:
    return f"a,b,y\n{k},0.5,{k % 2}\n\n{k},,{(k + 1) % 2}" + "\n" * (k % 3)


def quoted(k: int) -> str:
    return f'a,w,y\n{k},"x\n{k % 3}",{k % 2}\n{k},{"z" if k % 7 else "x"},0\n'


def lines(k: int) -> str:
    return f"document {k}\nand another of {k}"


def made(folder: Path, make: Make, suffix: str) -> str:
    for k in range(FILES):
        (folder / f"part-{k:03d}{suffix}").write_text(make(k))
    return str(folder)


def same(one: Rows, other: Rows) -> None:
    for a, b in ((one.X, other.X), (one.y, other.y), (one.number, other.number)):
        if isinstance(a, CSR):
            assert isinstance(b, CSR)
            a, b = a.to_scipy().toarray(), b.to_scipy().toarray()
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("make", "suffix", "options"),
    [
        (sparse, ".libsvm", ReadOptions()),
        (comma, ".csv", ReadOptions(missing="zero")),
        (quoted, ".csv", ReadOptions()),
        (lines, ".txt", ReadOptions(format="text")),
    ],
)
def test_what_is_read_is_what_is_read_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Make, suffix: str, options: ReadOptions
) -> None:
    url = made(tmp_path, make, suffix)
    label: LabelKind | None = None if options.format == "text" else "class"
    found = scan(url, options, label=label)
    assert len(found.pieces) == -(-FILES // (FILES // module.BUNDLES))
    monkeypatch.setattr(module, "SMALL", 0)
    alone = scan(url, options, label=label)
    assert len(alone.pieces) == FILES
    assert (found.rows, found.schema, found.types) == (alone.rows, alone.schema, alone.types)
    assert found.describe() == alone.describe()
    again = Dataset.from_json(json.loads(json.dumps(found.to_json())))
    assert again.pieces == found.pieces
    for low, high in ((0, found.rows), (7, 31)):
        same(load(again, low, high), load(alone, low, high))
        tables = [list(read_arrow(each, low, high)) for each in (again, alone)]
        rows = [[row for table in each for row in table.to_pylist()] for each in tables]
        assert rows[0] == rows[1]


def test_a_fault_is_told_by_the_file_and_line_that_hold_it(tmp_path: Path) -> None:
    url = made(tmp_path, sparse, ".libsvm")
    (tmp_path / "part-033.libsvm").write_text("0 1:1\n\n1 2:x\n")
    with pytest.raises(DataError, match=r"part-033\.libsvm:3:5: .*'1 2:x'"):
        scan(url, label="class")
    skipped = scan(url, ReadOptions(bad_rows="skip", rejects=str(tmp_path / "_rejects")), label="class")
    assert skipped.rows == 2 * FILES - 1
    assert "part-033.libsvm:3" in (tmp_path / "_rejects").read_text()


def test_a_fault_in_a_row_with_a_header_above(tmp_path: Path) -> None:
    url = made(tmp_path, comma, ".csv")
    (tmp_path / "part-033.csv").write_text("a,b,y\n1,2,0\n1,2,3,4\n")
    with pytest.raises(DataError, match=r"part-033\.csv:3: 4 columns where there should be 3"):
        scan(url, ReadOptions(missing="zero"), label="class")
    (tmp_path / "part-033.csv").write_text("a,b,y\n1,2,0\n1,inf,\n")
    with pytest.raises(DataError, match=r"part-033\.csv:3"):
        scan(url, ReadOptions(missing="zero"), label="class")


def test_no_text_amid_others_is_named(tmp_path: Path) -> None:
    url = made(tmp_path, sparse, ".libsvm")
    (tmp_path / "part-033.libsvm").write_bytes(b"\0\1\2\n")
    with pytest.raises(DataError, match=r"part-033\.libsvm: not text"):
        scan(url, label="class")


def test_marks_and_compression_without_a_name_are_as_nothing(tmp_path: Path) -> None:
    url = made(tmp_path, sparse, ".libsvm")
    expected = load(scan(url, label="class"), 0, 2 * FILES)
    (tmp_path / "part-033.libsvm").write_bytes(b"\xef\xbb\xbf" + sparse(33).encode())
    (tmp_path / "part-034.libsvm").write_bytes(gzip.compress(sparse(34).encode()))
    same(load(scan(url, label="class"), 0, 2 * FILES), expected)


def test_files_of_other_columns_or_directories_are_apart(tmp_path: Path) -> None:
    for day in (1, 2):
        folder = tmp_path / f"day={day}"
        folder.mkdir()
        for k in range(20):
            head = "a,y" if k < 10 else "y,a"
            (folder / f"{k:02d}.csv").write_text(f"{head}\n{day if k < 10 else 0},{0 if k < 10 else day}\n")
    dataset = scan(str(tmp_path), ReadOptions(), label="number")
    assert len(dataset.pieces) == 20
    rows = load(dataset, 0, 40)
    assert rows.X.tolist() == [[1, 1]] * 20 + [[2, 2]] * 20  # type: ignore[union-attr]
    assert rows.y is not None
    assert not rows.y.any()


def test_large_files_are_pieces_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALL", 40)
    url = made(tmp_path, sparse, ".libsvm")
    (tmp_path / "part-033.libsvm").write_text((sparse(33) + "\n") * 3)
    [piece] = [piece for piece in scan(url, label="class").pieces if url + "/part-033.libsvm" in piece.files]
    assert piece.files == (url + "/part-033.libsvm",)


def many_on_hdfs(cluster: Cluster, files: int) -> None:
    """Files of 5 KB; every row once, read many files at a time, and it is said how far reading has come."""
    url = f"{cluster.hdfs}/many"
    fs, path = open_fs(url)
    fs.makedirs(path)
    row = " ".join(f"{j}:0.{j:04d}" for j in range(1, 100))
    text = "".join(f"{k % 2} {row}\n" for k in range(5)).encode()

    def put(k: int) -> None:
        fs.pipe_file(f"{path}/part-{k:05d}.libsvm", text)

    with ThreadPoolExecutor(64) as pool:  # HDFS takes half a second to say that a file is whole
        list(pool.map(put, range(files)))
    said: list[tuple[int, int]] = []
    dataset = scan(url, label="class", threads=2, progress=lambda done, of: said.append((done, of)))
    pieces = -(-files // min(module.FILES, files // module.BUNDLES))
    assert said[files:] == [(k, pieces) for k in range(1, pieces + 1)]
    assert dataset.rows == 5 * files
    rows = load(dataset, 0, dataset.rows, threads=2)
    assert rows.y is not None
    assert rows.y.sum() == 2 * files
    remove(url)


@pytest.mark.hadoop
def test_many_small_files_on_hdfs(hadoop: Cluster) -> None:
    many_on_hdfs(hadoop, 200)


@pytest.mark.hadoop
@pytest.mark.full
@pytest.mark.timeout(900)
def test_sixteen_thousand_files_on_hdfs(hadoop: Cluster) -> None:
    many_on_hdfs(hadoop, 16_000)
