"""A copy keeps the bytes, so its name may not tell another format or compression."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hdfs_io import DataError, copy, exists

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
