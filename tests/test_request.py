"""A request's words are those of the data layer."""

from __future__ import annotations

from typing import get_args

import pytest

from hdfs_io import ReadOptions
from hdfs_io.formats import FORMATS
from yarnml.cli.flags import parse
from yarnml.request import Format, Reading


def test_formats_are_those_that_are_read() -> None:
    assert get_args(Format) == tuple(FORMATS)


def test_nothing_said_is_nothing_said() -> None:
    assert Reading().options() == ReadOptions()


@pytest.mark.parametrize(
    ("words", "quote"), [((), None), (("--quote", "none"), "none"), (("--quote", "double"), "double")]
)
def test_quotes_that_are_none_are_said_apart_from_nothing_said(words: tuple[str, ...], quote: str | None) -> None:
    """`none` stands for what isn't said only where a flag may be left open."""
    assert parse("yarnml data head", "", {"reading": Reading}, words)["reading"].options().quote == quote
