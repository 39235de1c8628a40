"""Kinds: what type a column has over all pieces, where each piece may see another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hdfs_io.errors import DataError

Kinds = Mapping[str, str]  # column -> Arrow's name of its type
NOTHING: Kinds = {}
UNITS = ("s", "ms", "us", "ns")  # from coarse to fine
DECIMAL = re.compile(r"decimal(?P<bits>128|256)\((?P<precision>\d+), (?P<scale>-?\d+)\)")
ZONED = re.compile(r"timestamp\[(?P<unit>s|ms|us|ns), tz=(?P<zone>.+)\]")


def is_number(kind: pa.DataType) -> bool:
    """Whether a column can be a feature as it is; an empty one can't."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def is_spark(kind: pa.DataType) -> bool:
    """Whether a column holds vectors as Spark writes them."""
    return pa.types.is_struct(kind) and [field.name for field in kind] == ["type", "size", "indices", "values"]


def is_vector(kind: pa.DataType) -> bool:
    """Whether a column's values are rows of numbers: Spark's vectors, or lists, of lists too."""
    if is_spark(kind):
        return True
    tests = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(test(kind) for test in tests) and (is_number(kind.value_type) or is_vector(kind.value_type))


def plain(kind: pa.DataType) -> pa.DataType:
    """The type that stands for `kind` when types of several pieces are compared."""
    if pa.types.is_dictionary(kind):
        return plain(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    return kind


def widen(a: pa.DataType, b: pa.DataType) -> pa.DataType:
    """The least type that holds both: nothing < bools < whole numbers < numbers < words; dates < moments."""
    a, b = plain(a), plain(b)
    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    if is_vector(a) and is_vector(b) and is_spark(a) == is_spark(b):
        return a if is_spark(a) else pa.list_(widen(a.value_type, b.value_type))
    if is_number(a) and is_number(b):
        return _number(a, b)
    for wider in (_moment, _span, _bytes):
        found = wider(a, b)
        if found is not None:
            return found
    return pa.string()


def _number(a: pa.DataType, b: pa.DataType) -> pa.DataType:
    if pa.types.is_floating(a) or pa.types.is_floating(b):
        return pa.float64()
    if pa.types.is_decimal(a) or pa.types.is_decimal(b):
        (whole, scale), (more, finer) = _digits(a), _digits(b)
        whole, scale = max(whole, more), max(scale, finer)
        if whole + scale <= 38:
            return pa.decimal128(whole + scale, scale)
        return pa.decimal256(whole + scale, scale) if whole + scale <= 76 else pa.string()
    if pa.uint64() not in (a, b):
        return pa.int64()
    return pa.uint64() if all(map(pa.types.is_unsigned_integer, (a, b))) else pa.decimal128(20, 0)


def _digits(kind: pa.DataType) -> tuple[int, int]:
    """Digits before the point and after it."""
    if pa.types.is_decimal(kind):
        return kind.precision - kind.scale, kind.scale
    return (1 if pa.types.is_boolean(kind) else len(str(2**kind.bit_width))), 0


def _moment(a: pa.DataType, b: pa.DataType) -> pa.DataType | None:
    """Dates and moments, in the finer unit; of several zones in UTC. Moments without a zone are no others."""
    if not all(pa.types.is_date(kind) or pa.types.is_timestamp(kind) for kind in (a, b)):
        return None
    if pa.types.is_date(a) and pa.types.is_date(b):
        return pa.date32()
    zones = {kind.tz if pa.types.is_timestamp(kind) else None for kind in (a, b)}
    if len(zones) == 1:
        return pa.timestamp(_finer(a, b), zones.pop())
    return None if None in zones else pa.timestamp(_finer(a, b), "UTC")


def _span(a: pa.DataType, b: pa.DataType) -> pa.DataType | None:
    """Times of day and durations, in the finer unit."""
    if pa.types.is_time(a) and pa.types.is_time(b):
        unit = _finer(a, b)
        return pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    if pa.types.is_duration(a) and pa.types.is_duration(b):
        return pa.duration(_finer(a, b))
    return None


def _bytes(a: pa.DataType, b: pa.DataType) -> pa.DataType | None:
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return pa.large_binary() if all(any(test(kind) for test in tests) for kind in (a, b)) else None


def _finer(a: pa.DataType, b: pa.DataType) -> str:
    units: list[str] = [kind.unit for kind in (a, b) if not pa.types.is_date(kind)]
    return max(units, key=UNITS.index)


def kind_named(name: str) -> pa.DataType | None:
    """The type that Arrow calls so; None for one that is made of others."""
    if found := DECIMAL.fullmatch(name):
        make = pa.decimal128 if found["bits"] == "128" else pa.decimal256
        return make(int(found["precision"]), int(found["scale"]))
    if found := ZONED.fullmatch(name):
        return pa.timestamp(found["unit"], found["zone"])
    try:
        return pa.type_for_alias(name)
    except ValueError:
        return None


def as_kind(column: Any, kind: pa.DataType | str, where: str) -> Any:
    """An Arrow column as the type that holds it in all pieces. DataError where that type can't hold it as it is."""
    try:
        found = column.cast(kind)
        if pa.types.is_decimal(column.type) and pa.types.is_floating(found.type):
            _refuse_rounded(column, found)
    except pa.ArrowException as error:
        was = f"{column.type} values that can't be read as {kind}, which it is over all files"
        raise DataError(f"{where} holds {was} ({error}); give the column one type") from error
    return found


def _refuse_rounded(exact: Any, found: Any) -> None:
    back = found.cast(exact.type)
    if not back.equals(exact):
        first = pc.index(pc.not_equal(back, exact), True).as_py()
        raise pa.ArrowInvalid(f"{exact[first]} would be rounded")
