"""Roles: what a survey finds in the columns that hold labels and weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.errors import DataError
from hdfs_io.kinds import is_number, plain
from hdfs_io.labels import as_words, column_codes, is_missing, is_text, numbers
from hdfs_io.survey import Ask, Fault, Place, Survey

Mask = NDArray[np.bool_]
SHOWN = 40  # characters of a wrong value that an error repeats


def look_at_roles(table: pa.Table, ask: Ask, place: Place) -> Survey:
    """Survey the label and the weight of all rows of a table, which may lack either column."""
    label, weight = (_column(table, name) for name in (ask.label, ask.weight))
    survey = Survey(
        rows=len(table),
        weights=None if weight is None else _fault(bad_weights(weight), weight, "weight", place),
        heaviest=0.0 if weight is None else heaviest(weight),
    )
    return survey if label is None else _with_label(survey, label, ask, place)


def _with_label(survey: Survey, label: pa.ChunkedArray, ask: Ask, place: Place) -> Survey:
    if not (is_number(label.type) or is_text(label.type) or pa.types.is_null(label.type)):
        raise DataError(place(0, f"label column {ask.label!r} holds {label.type}; a label is words, numbers or bools"))
    bad = None if ask.classes is None else column_codes(label, ask.classes) < 0
    return replace(
        survey,
        distinct=(_counted(label),) if ask.distinct else None,
        labels=gaps(label, ask.precision, lambda row: place(row, shown("label", label, row))),
        strange=None if bad is None else _fault(bad, label, "label", place),
    )


def _column(table: pa.Table, name: str | None) -> pa.ChunkedArray | None:
    if name not in table.column_names:
        return None
    column = table.column(name)
    return column.cast(plain(column.type))


def _counted(label: pa.ChunkedArray) -> pa.StructArray:
    """The label's values, each once with its count."""
    found = pc.value_counts(as_words(label) if is_text(label.type) else label)
    return found.filter(pc.invert(is_missing(found.field("values"))))


def gaps(column: pa.ChunkedArray, dtype: type[np.floating[Any]], place: Callable[[int], str]) -> Fault | None:
    """The values of a column that are missing, nan, inf or too large for `dtype`."""
    bad = bad_values(column, dtype)
    return Fault(int(bad.sum()), place(int(np.argmax(bad)))) if bad is not None and bad.any() else None


def bad_values(column: pa.ChunkedArray, dtype: type[np.floating[Any]]) -> Mask | None:
    if pa.types.is_floating(column.type):
        with np.errstate(over="ignore"):
            return ~np.isfinite(numbers(column).astype(dtype, copy=False))
    return np.asarray(is_missing(column)) if column.null_count or is_text(column.type) else None


def bad_labels(column: pa.ChunkedArray, ask: Ask) -> Mask:
    """The labels that are missing, nan or inf, or none of the known classes."""
    bad = bad_values(column.cast(plain(column.type)), ask.precision)
    bad = np.zeros(len(column), np.bool_) if bad is None else bad
    return bad if ask.classes is None else bad | (column_codes(column.cast(plain(column.type)), ask.classes) < 0)


def bad_weights(column: pa.ChunkedArray) -> Mask:
    """The weights that are no numbers from 0 up, as a float32 holds them."""
    if is_text(column.type):
        return np.array([value is None or not is_float(value) for value in column.to_pylist()], np.bool_)
    if not is_number(column.type):
        return np.ones(len(column), np.bool_)
    weight = _float32(column)
    return ~(np.isfinite(weight) & (weight >= 0))


def no_key(column: pa.ChunkedArray) -> Mask:
    """Which values name no user or item."""
    if not (column.null_count or is_text(column.type) or pa.types.is_floating(column.type)):
        return np.zeros(len(column), np.bool_)
    missing: Mask = np.asarray(is_missing(column))
    return missing | np.isnan(numbers(column)) if pa.types.is_floating(column.type) else missing


def heaviest(column: pa.ChunkedArray) -> float:
    """The greatest weight; 0 where none is a number."""
    return float(np.fmax.reduce(_float32(column), initial=0.0)) if is_number(column.type) else 0.0


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _float32(column: pa.ChunkedArray) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return numbers(column).astype(np.float32, copy=False)


def _fault(bad: Mask, column: pa.ChunkedArray, what: str, place: Place) -> Fault | None:
    if not bad.any():
        return None
    row = int(np.argmax(bad))
    return Fault(int(bad.sum()), place(row, shown(what, column, row)))


def shown(what: str, column: pa.ChunkedArray, row: int) -> str:
    """`label 'NA'`; `label` alone where there is nothing to show."""
    value = column[row].as_py()
    return what if value is None or value == "" else f"{what} {repr(value)[:SHOWN]}"
