"""A copy keeps the bytes, so its name may not tell another format or compression; files are copied side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hdfs_io import DataError, copy, exists, look
from hdfs_io.hands import HANDS

Put = Callable[[str, str | bytes], str]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("a.csv.gz", "b.parquet", "by their name csv gzip, and this name says parquet"),
        ("a.csv.gz", "b.csv", "by their name csv gzip, and this name says csv"),
        ("a.csv", "b.csv.zst", "by their name csv, and this name says csv zstd"),
        ("a.svm", "b.csv", "by their name libsvm, and this name says csv"),
        ("a9a", "b.gz", "by their name neither a known format nor compressed, and this name says gzip"),
    ],
)
def test_another_form_is_refused(put: Put, place: str, old: str, new: str, why: str) -> None:
    url = put(old, "a,y\n")
    with pytest.raises(DataError, match=rf"{new}: copying keeps the bytes, {why}"):
        copy(url, f"{place}/{new}")
    assert not exists(f"{place}/{new}")


@pytest.mark.parametrize(("old", "new"), [("a.csv.gz", "b.tsv.gz"), ("a9a", "b.libsvm"), ("a.csv", "b"), ("a", "b.1")])
def test_the_same_form_and_unknown_ones_are_copied(put: Put, place: str, old: str, new: str) -> None:
    assert copy(put(old, "a,y\n"), f"{place}/{new}") == 4


def test_small_files_are_copied_many_at_a_time_and_large_ones_few() -> None:
    hands = look._hands
    assert [hands([1] * n) for n in (0, 1, 63, 1000)] == [1, 1, 63, look.MANY]
    assert hands([1 << 30] * 1000) == hands([0, 1 << 30] * 1000) == HANDS


def test_of_several_files_that_fail_the_first_is_named(place: str, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever order threads come to them."""
    for k in range(100):
        put(f"d/{k:02d}", "x")
    later = threading.Event()

    def fails(_source: Any, name: str, *_rest: Any) -> None:
        if name.endswith(("/30", "/07")):
            if name.endswith("/30"):
                later.set()
            assert later.wait(10)
            raise DataError(name[-2:])

    monkeypatch.setattr(look, "_copy_file", fails)
    with pytest.raises(DataError, match=r"^07$"):
        copy(f"{place}/d", f"{place}/e")


def test_a_glob_is_no_copy(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(DataError, match=r"\*\.csv: copy takes one file or directory, by its name"):
        copy(f"{tmp_path}/*.csv", f"{tmp_path}/to")
