"""Repair: numbers that Arrow takes for words, as they are written with a plus sign or blanks around."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.labels import is_text


def repaired(table: pa.Table) -> pa.Table:
    """The table with dates as words and `+1` as a number."""
    for i, field in enumerate(table.schema):
        if pa.types.is_date(field.type) or pa.types.is_time(field.type) or pa.types.is_timestamp(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.string()))
        elif is_text(field.type) and _starts_as_number(table.column(i)):
            table = table.set_column(i, field.name, _as_numbers(table.column(i)))
    return table


def as_numbers(table: pa.Table) -> pa.Table:
    """The table with numbers in columns of words that all are such."""
    for i, field in enumerate(table.schema):
        if is_text(field.type):
            table = table.set_column(i, field.name, _as_numbers(table.column(i)))
    return table


def _starts_as_number(column: pa.ChunkedArray) -> bool:
    first = next((value.as_py() for value in column if value.is_valid), "")
    try:
        float(first)
    except ValueError:
        return False
    return True


def _as_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    text = pc.replace_substring_regex(pc.utf8_trim_whitespace(column), r"^\+(\d|\.)", r"\1")
    for kind in (pa.int64(), pa.float64()):
        try:
            return text.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column
