"""What is refused before a data set is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hdfs_io import DataError, ReadOptions, scan

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
