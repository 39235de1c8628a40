"""Rows are shown as columns that fit the terminal."""

from __future__ import annotations

from yarnml.cli.data import in_columns

COLUMNS = [["a", "1", "22"], ["word", "x" * 70, "y"], ["c", "3", "4"]]


def test_all_columns_where_there_is_room() -> None:
    assert in_columns(COLUMNS[::2], None) == ["a   c", "1   3", "22  4"]
    assert in_columns(COLUMNS[::2], 5) == ["a   c", "1   3", "22  4"]


def test_columns_that_do_not_fit_are_counted() -> None:
    assert in_columns(COLUMNS[::2], 4) == ["a", "1", "22", "... 1 more columns"]
    assert in_columns(COLUMNS, 65) == [
        "a   word",
        "1   " + "x" * 60,
        "22  y",
        "... 1 more columns",
    ]
    assert in_columns(COLUMNS[1:], 10)[:2] == ["word", "x" * 10]


def test_nothing_to_show() -> None:
    assert in_columns([], 80) == []
