"""Partitions: columns that directories tell, as Hive and Spark write them: `day=2026-01-02/part-0.parquet`."""

from __future__ import annotations

from collections.abc import Container, Sequence
from urllib.parse import unquote

import pyarrow as pa

EMPTY = "__HIVE_DEFAULT_PARTITION__"  # a missing value


def partition_names(url: str, files: Sequence[str]) -> tuple[str, ...]:
    """The columns that the directories between `url`, or the parts of that list, and its files tell."""
    above = {name for part in url.split(",") for name in _told(part)}
    return tuple(dict.fromkeys(name for file in files for name in _told(file) if name not in above))


def partition_words(files: Sequence[str], names: Sequence[str]) -> frozenset[str]:
    """Those of the columns whose values aren't all whole numbers."""
    told = [_told(file) for file in files]
    return frozenset(name for name in names if any(isinstance(_value(each.get(name)), str) for each in told))


def with_partitions(table: pa.Table, file: str, names: Sequence[str], words: Container[str]) -> pa.Table:
    """The table and the columns of these names, whose one value the file's path tells: as it stands there for `words`,
    else a whole number.
    """
    told = _told(file)
    for name in names:
        text = told.get(name)
        value = (None if text == EMPTY else text) if name in words else _value(text)
        column = pa.nulls(len(table)) if value is None else pa.repeat(pa.scalar(value), len(table))
        at = table.schema.get_field_index(name)
        table = table.append_column(name, column) if at < 0 else table.set_column(at, name, column)
    return table


def _told(url: str) -> dict[str, str]:
    pairs = (segment.partition("=") for segment in url.split("/") if not segment.startswith(("_", ".")))
    return {unquote(name): unquote(value) for name, mark, value in pairs if mark and name}


def _value(text: str | None) -> int | str | None:
    if text is None or text == EMPTY:
        return None
    return int(text) if text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) < 19 else text
