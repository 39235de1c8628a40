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
Ends = Mapping[str, tuple[float, float]]  # column -> its least and greatest number

LED = r"^[+-]?0[0-9xX]|^-0$"
PLAIN = r"^[+-]?[0-9]{16,}$"
EXACT = float(1 << 53)  # whole numbers beyond aren't all doubles


def suspected(block: Block, sep: int, names: Sequence[str], table: pa.Table, ends: Ends) -> list[str]:
    """Those of the table's columns of numbers that may be codes, by a glance at the text that it was made of.

    `names`: of all columns in the text. Where it has quotes, all or none. `ends`: of columns, where they are known.
    """
    marks = np.zeros(len(names), np.bool_)
    if any_codes(block.data, block.lo, block.hi, sep):
        if holds(block.data, block.lo, block.hi, QUOTE):
            marks[:] = True
        else:
            code_columns(block.data, block.lo, block.hi, sep, marks)
    marked = {names[at] for at in np.flatnonzero(marks).tolist()}
    found = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if not is_number(column.type) or pa.types.is_boolean(column.type):
            continue
        low, high = ends[name] if name in ends else _ends(column)
        if name in marked or max(-low, high) >= EXACT:
            found.append(name)
    return found


def _ends(column: pa.ChunkedArray) -> tuple[float, float]:
    found = pc.min_max(column).as_py()
    return (0.0, 0.0) if found["min"] is None else (found["min"], found["max"])


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
