"""Repair: numbers that Arrow takes for words, as they are written with a plus sign or blanks around."""

from __future__ import annotations

from collections.abc import Container

import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.labels import is_missing, is_text

PROBE = 1000  # first values of a column that tell whether it holds numbers


def repaired(table: pa.Table, text: Container[str]) -> pa.Table:
    """The table with `+1` as a number, but in columns that are `text`."""
    for i, field in enumerate(table.schema):
        if field.name not in text and is_text(field.type) and _starts_as_number(table.column(i)):
            table = table.set_column(i, field.name, _as_numbers(table.column(i)))
    return table


def as_numbers(table: pa.Table, text: Container[str]) -> pa.Table:
    """The table with numbers in columns of words that all are such or missing, but in those that are `text`."""
    for i, field in enumerate(table.schema):
        if field.name not in text and is_text(field.type):
            table = table.set_column(i, field.name, _as_numbers(table.column(i)))
    return table


def _starts_as_number(column: pa.ChunkedArray) -> bool:
    there = column.slice(0, PROBE).filter(pc.invert(is_missing(column.slice(0, PROBE))))
    first = there[0].as_py() if len(there) else ""
    try:
        float(first)
    except ValueError:
        return False
    return True


def _as_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    text = pc.replace_substring_regex(pc.utf8_trim_whitespace(column), r"^\+(\d|\.)", r"\1")
    text = pc.if_else(is_missing(text), pa.scalar(None, pa.string()), text)
    for kind in (pa.int64(), pa.float64()):
        try:
            return text.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column
