"""Values become what a field's type wants, or are refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from yarnml.value import Count, Fraction, Positive, Range, Whole, convert, metavar, read

Column = str | int | None


@pytest.mark.parametrize(
    ("words", "hint", "value"),
    [
        (["3"], int, 3),
        (["3"], float, 3.0),
        (["1e-3"], float, 1e-3),
        (["3"], str, "3"),
        (["none"], str, "none"),
        (["none"], int | None, None),
        (["None"], int | None, None),
        (["0"], Whole | None, 0),
        (["-1"], Column, -1),
        (["age"], Column, "age"),
        (["0.2"], str | Fraction | None, 0.2),
        (["1.5"], str | Fraction | None, "1.5"),
        (["data/0.2"], str | Fraction | None, "data/0.2"),
        (["true"], bool, True),
        (["full"], Literal["full", "mini"], "full"),
        (["0"], Literal[0, 1], 0),
        (["1", "-2", "c"], tuple[str | int, ...] | None, (1, -2, "c")),
        (["none"], tuple[str | int, ...] | None, None),
        ([], tuple[int, ...], ()),
        (["1", "a"], tuple[int, str], (1, "a")),
    ],
)
def test_read(words: list[str], hint: Any, value: Any) -> None:
    found = read(words, hint)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("words", "hint", "says"),
    [
        (["x"], int, "expected a whole number, got 'x'"),
        (["1.5"], int, "expected a whole number, got '1.5'"),
        (["0"], Count, "expected a whole number at least 1, got '0'"),
        (["nan"], Positive, "expected a number above 0, got 'nan'"),
        (["fast"], Count | None, "expected a whole number at least 1 or none, got 'fast'"),
        (["big"], Literal["full", "mini"], "expected one of full, mini, got 'big'"),
        (["a"], tuple[int, ...], "expected a whole number, got 'a'"),
        (["1"], tuple[int, str], "expected a list of a whole number and text"),
    ],
)
def test_read_refuses(words: list[str], hint: Any, says: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        read(words, hint)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("given", "hint", "value"),
    [
        (1, float, 1.0),
        (np.int64(3), int, 3),
        (np.float32(0.5), float, 0.5),
        (Path("a/b"), str | None, "a/b"),
        ([1, 2], tuple[int, ...], (1, 2)),
        ("1e-3", float, 1e-3),  # as YAML reads it
        ("0.2", str | float | None, "0.2"),  # text stays text where text is allowed
        ("none", int | None, None),
    ],
)
def test_convert(given: Any, hint: Any, value: Any) -> None:
    found = convert(given, hint)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("given", "hint"), [(True, int), (True, float), (1, bool), (1, str), ("ab", tuple[str, ...]), (1.0, int)]
)
def test_convert_refuses_what_only_looks_alike(given: Any, hint: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        convert(given, hint)


def test_range_says_all_its_limits() -> None:
    assert str(Range(above=0, at_most=1)) == "above 0 and at most 1"
    assert Range(above=0, at_most=1).holds(1)
    assert not Range(above=0, at_most=1).holds(0)
    assert not Range(at_least=0).holds(float("nan"))
    assert not Range(at_least=0).holds(float("inf"))


def test_metavar_is_short() -> None:
    assert metavar(str | int | None) == "TEXT"
    assert metavar(Whole | None) == "INT|none"
    assert metavar(tuple[str | int, ...] | None) == "TEXT ..."
    assert metavar(Literal["stop", "drop"]) == "stop|drop"
