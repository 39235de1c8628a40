"""Numbers of things as people say them."""

from __future__ import annotations

import pytest

from hdfs_io.spoken import at_first, listed, many, sized, some_are


@pytest.mark.parametrize(
    ("count", "noun", "want"),
    [
        (0, "row", "0 rows"),
        (1, "row", "1 row"),
        (2500, "row", "2,500 rows"),
        (2, "class", "2 classes"),
        (2, "index", "2 indices"),
        (2, "entry", "2 entries"),
        (2, "day", "2 days"),
        (2, "feature value", "2 feature values"),
    ],
)
def test_many(count: int, noun: str, want: str) -> None:
    assert many(count, noun) == want


def test_what_they_are() -> None:
    assert some_are(1, "label", "nan") == "1 label is nan"
    assert some_are(3, "label", "nan") == "3 labels are nan, the first here"
    assert (at_first(1), at_first(2)) == ("", ", the first here")


def test_listed() -> None:
    assert listed(["a", "b"], 2) == "'a', 'b'"
    assert listed(["a", "b", "c"], 2) == "'a', 'b', ..."
    assert listed([1, 2, 3], 1, str) == "1, ..."


def test_sized() -> None:
    assert [sized(size) for size in (1, 999, 1000, 2_500_000, 3e9, 1e16)] == [
        "1 bytes", "999 bytes", "1 KB", "2.5 MB", "3 GB", "1e+04 TB",
    ]  # fmt: skip
