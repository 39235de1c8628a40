"""A request's words are those of the data layer."""

from __future__ import annotations

from typing import get_args

from hdfs_io import ReadOptions
from hdfs_io.formats import FORMATS
from yarnml.request import Format, Reading


def test_formats_are_those_that_are_read() -> None:
    assert get_args(Format) == tuple(FORMATS)


def test_nothing_said_is_nothing_said() -> None:
    assert Reading().options() == ReadOptions()
