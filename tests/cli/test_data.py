"""Rows are shown as columns that fit the terminal, and it is said how far reading and copying have come."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from yarnml.cli.data import in_columns, main
from yarnml.monitor import pace

COLUMNS = [["a", "1", "22"], ["word", "x" * 70, "y"], ["c", "3", "4"]]


def test_all_columns_where_there_is_room() -> None:
    assert in_columns(COLUMNS[::2], None) == ["a   c", "1   3", "22  4"]
    assert in_columns(COLUMNS[::2], 5) == ["a   c", "1   3", "22  4"]


def test_columns_that_do_not_fit_are_counted() -> None:
    assert in_columns(COLUMNS[::2], 4) == ["a", "1", "22", "... 1 more column"]
    assert in_columns(COLUMNS, 65) == [
        "a   word",
        "1   " + "x" * 60,
        "22  y",
        "... 1 more column",
    ]
    assert in_columns(COLUMNS[1:], 10)[:2] == ["word", "x" * 10]


def test_nothing_to_show() -> None:
    assert in_columns([], 80) == []


def test_it_is_said_how_far_it_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pace, "PAUSE", -1.0)
    source, target = tmp_path / "from", tmp_path / "to"
    source.mkdir()
    for k in range(40):
        (source / f"{k:02d}.csv").write_text(f"a,y\n{k},0\n{k},1\n")
    assert main(["describe", str(source)]) == 0
    said = capsys.readouterr()
    assert "80 rows x 1 dense feature in 40 files" in said.out
    assert said.err.splitlines()[39:] == ["40 of 40 parts read", *(f"{k} of 20 parts read" for k in range(1, 21))]
    assert main(["copy", str(source), str(target)]) == 0
    said = capsys.readouterr()
    size = sum(file.stat().st_size for file in source.iterdir())
    assert f"{size:,} of {size:,} bytes" in said.err
    assert sorted((file.name, file.read_text()) for file in target.iterdir()) == sorted(
        (file.name, file.read_text()) for file in source.iterdir()
    )


@pytest.mark.parametrize(("said", "want"), [([], "SNAPPY"), (["--compression", "none"], "UNCOMPRESSED")])
def test_none_is_a_compression(tmp_path: Path, said: list[str], want: str) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1.5,0\n")
    assert main(["convert", str(tmp_path / "t.csv"), str(tmp_path / "t.parquet"), *said]) == 0
    assert pq.ParquetFile(tmp_path / "t.parquet").metadata.row_group(0).column(0).compression == want
