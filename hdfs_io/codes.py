"""Codes: what is written as numbers but is more than these, as 007, +1 and numbers of very many digits are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.kernels.codes import any_codes, code_columns
from hdfs_io.kernels.records import QUOTE, holds
from hdfs_io.kinds import is_number
from hdfs_io.text import Block

ZEROS, SIGNS, DIGITS = "zeros before them", "plus signs", "more digits than a number holds"
Codes = Mapping[str, tuple[str, ...]]  # column -> what of its text is lost where it is read as numbers

LED = r"^[+-]?0[0-9xX]|^-0$"
PLAIN = r"^[+-]?[0-9]{16,}$"
EXACT = float(1 << 53)  # whole numbers beyond aren't all doubles


def suspected(block: Block, sep: int, table: pa.Table, names: Sequence[str]) -> list[str]:
    """Those of the table's columns of numbers that may be codes, by a glance at the text that it was made of.

    `names`: of all columns in the text. Where it has quotes, all or none.
    """
    marks = np.zeros(len(names), np.bool_)
    if any_codes(block.data, block.lo, block.hi, sep):
        if holds(block.data, block.lo, block.hi, QUOTE):
            marks[:] = True
        else:
            code_columns(block.data, block.lo, block.hi, sep, marks)
    marked = {names[at] for at in np.flatnonzero(marks).tolist()}
    return [
        field.name
        for field in table.schema
        if is_number(field.type) and (field.name in marked or _is_large(table.column(field.name)))
    ]


def _is_large(column: pa.ChunkedArray) -> bool:
    """Whether whole numbers in a column of numbers may be other than what is written."""
    if pa.types.is_boolean(column.type):
        return False
    ends = pc.min_max(column).as_py()
    return ends["min"] is not None and max(-ends["min"], ends["max"]) >= EXACT


def losses(text: pa.ChunkedArray) -> tuple[str, ...]:
    """What a column of numbers, each as it is written, loses when it is read as such."""
    text = pc.utf8_trim_whitespace(text)
    found = []
    if pc.any(pc.match_substring_regex(text, LED)).as_py():
        found.append(ZEROS)
    if pc.any(pc.starts_with(text, "+")).as_py():
        found.append(SIGNS)
    digits = text.filter(pc.match_substring_regex(text, PLAIN))
    if len(digits) and max(map(abs, map(float, pc.unique(digits).to_pylist()))) >= EXACT:
        found.append(DIGITS)
    return tuple(found)


def united(found: Sequence[Codes]) -> dict[str, tuple[str, ...]]:
    """The same over all pieces."""
    out: dict[str, tuple[str, ...]] = {}
    for name, what in ((name, what) for each in found for name, what in each.items()):
        out[name] = tuple(dict.fromkeys((*out.get(name, ()), *what)))
    return out


def lost(what: Sequence[str], kind: pa.DataType) -> tuple[str, ...]:
    """What is lost where all of the column is read as this type."""
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return ()
    return tuple(each for each in what if each != DIGITS or kind != pa.int64())
