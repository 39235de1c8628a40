"""Kinds: what type a column has over all pieces, where each piece may see another."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hdfs_io.errors import DataError


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
    """The least type that holds both: nothing < bools < whole numbers < numbers < words."""
    a, b = plain(a), plain(b)
    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    if is_vector(a) and is_vector(b) and is_spark(a) == is_spark(b):
        return a
    if not (is_number(a) and is_number(b)):
        return pa.string()
    if pa.types.is_floating(a) or pa.types.is_floating(b) or pa.types.is_decimal(a) or pa.types.is_decimal(b):
        return pa.float64()
    return pa.int64()


def as_kind(column: Any, kind: pa.DataType | str, where: str) -> Any:
    """An Arrow column as the type that holds it in all pieces. DataError where that type can't hold it as it is."""
    try:
        return column.cast(kind)
    except pa.ArrowException as error:
        was = f"{column.type} values that can't be read as {kind}, which it is over all files"
        raise DataError(f"{where} holds {was} ({error}); give the column one type") from error
