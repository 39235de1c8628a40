"""What is refused before a data set is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hdfs_io import DataError, ReadOptions, head, load, scan

Put = Callable[[str, str | bytes], str]


def test_a_part_of_one_row_is_not_its_header(put: Put, place: str) -> None:
    put("p/0.csv", "x,y\n1,a\n2,b\n")
    put("p/1.csv", "3,a\n")
    with pytest.raises(DataError, match=r"1\.csv:1: holds '3', 'a' where others have a header \('x', 'y'\); write it"):
        scan(f"{place}/p", label="any")
    put("p/1.csv", "x,y\n")
    assert scan(f"{place}/p", label="any").rows == 2
    put("p/1.csv", "y,z\n")
    assert scan(f"{place}/p", label="any").rows == 2


def test_without_headers_rows_are_rows(tmp_path: Path) -> None:
    for k, row in enumerate(("1,a\n2,b\n", "3,a\n")):
        (tmp_path / f"{k}.csv").write_text(row)
    assert scan(str(tmp_path), ReadOptions(header=False), label="any").rows == 3


def test_directories_are_believed_where_files_say_otherwise(put: Put, place: str) -> None:
    put("d/y=3/0.csv", "x,y\n1,5\n")
    put("d/y=4/0.csv", "x,y\n2,6\n")
    dataset = scan(f"{place}/d", label="number")
    assert "column 'y' is in the files and in their directories' names, which are believed" in dataset.notes
    assert load(dataset, 0, 2).y.tolist() == [3, 4]  # type: ignore[union-attr]
    assert head(f"{place}/d").column("y").to_pylist() == [3, 4]


def test_documents_of_nothing_are_counted(put: Put, place: str) -> None:
    for name, text in (("a/0", "some words"), ("a/1", ""), ("b/0", "more"), ("b/1", "")):
        put(f"t/{name}.txt", text)
    dataset = scan(f"{place}/t", ReadOptions(format="files"), label="any")
    assert dataset.rows == 2
    assert "2 empty files left out" in dataset.notes
