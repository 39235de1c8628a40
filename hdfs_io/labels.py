"""Labels: original values to the numbers that models count classes by, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.schema import Value

MISSING = (
    "", "?", "#N/A", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "None", "\\N", "<NA>", "NaT",
)  # a missing value in text; the last three as Hive and databases, and as pandas write it  # fmt: skip
MOST_LABELS = 1 << 18  # different labels that are collected
DENSE = 1 << 12  # whole numbers among which a class is found by a table
NONE = "?"  # the word that stands for a missing one


def values(counted: Sequence[pa.StructArray]) -> dict[Value, int]:
    """The label's values in all pieces and how many rows have each.

    They are sorted: numbers by size, whole ones as int; all as words if any is one.
    """
    arrays = [(array.field("values"), array.field("counts").to_pylist()) for array in counted if len(array)]
    if any(is_text(array.type) for array, _ in arrays):
        arrays = [(as_words(array), counts) for array, counts in arrays]
    found: Counter[Any] = Counter()
    for array, counts in arrays:
        for value, count in zip(array.to_pylist(), counts, strict=True):
            found[value] += count
    plain = all(isinstance(value, str) for value in found) or all(isinstance(value, bool) for value in found)
    return {value if plain else _number(value): found[value] for value in sorted(found)}


def _number(value: Any) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def pooled(arrays: Iterable[pa.StructArray]) -> tuple[pa.StructArray, ...]:
    """The same values each once, an array a type: types are reconciled only when all were seen.

    Of more than MOST_LABELS there are some.
    """
    kinds: dict[pa.DataType, list[pa.StructArray]] = {}
    for array in arrays:
        kinds.setdefault(array.type, []).append(array)
    return tuple(_some(alike[0] if len(alike) == 1 else _pool(alike)) for alike in kinds.values())


def _pool(alike: Sequence[pa.StructArray]) -> pa.StructArray:
    parts = [pa.table({"values": array.field("values"), "counts": array.field("counts")}) for array in alike]
    whole = pa.concat_tables(parts).group_by("values", use_threads=False).aggregate([("counts", "sum")])
    columns = [whole.column(name).combine_chunks() for name in ("values", "counts_sum")]
    return pa.StructArray.from_arrays(columns, ["values", "counts"])


def _some(found: pa.StructArray) -> pa.StructArray:
    if len(found) <= MOST_LABELS:
        return found
    values = found.field("values")
    return found[: MOST_LABELS + 1] if is_text(values.type) else found.take(pa.array(some(numbers(values))))


def some(values: NDArray[Any]) -> NDArray[np.int64]:
    """The places of so many different numbers as show that they are more than MOST_LABELS.

    The least, the greatest and a broken one, if any is, are among them: these say what is wrong with labels.
    """
    order = np.argsort(values)
    broken = np.flatnonzero(values % 1 != 0)[:1]
    first = np.unique(np.concatenate((order[:1], order[-1:], broken)))
    return np.concatenate((first, order[~np.isin(order, first)][: MOST_LABELS + 1 - len(first)]))


def is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_missing(array: pa.ChunkedArray | pa.Array) -> Any:
    """Which values are none. Words that spell a missing value are, as where a column of numbers holds them."""
    if not is_text(array.type):
        return array.is_null()
    return pc.or_(array.is_null(), pc.is_in(as_words(array), pa.array(MISSING)))


def as_words(array: Any) -> Any:
    """Arrow values as strings without blanks around them."""
    return pc.utf8_trim_whitespace(array.cast(pa.string()))


def words(column: Any) -> Any:
    """An Arrow column as words without blanks around them; one that is missing is NONE."""
    text = as_words(column)
    return pc.if_else(is_missing(text), pa.scalar(NONE), text)


def word_codes(column: Any, dictionary: Sequence[str]) -> NDArray[np.int32]:
    """For each value its place in the dictionary; -1 where it isn't there."""
    at = pc.index_in(words(column), pa.array(dictionary, pa.string()))
    return np.asarray(at.fill_null(-1).to_numpy(), np.int32)


def number_codes(y: NDArray[Any], classes: Sequence[Value]) -> NDArray[np.int32]:
    """For each number its place among the sorted `classes`; -1 where it isn't among them."""
    known = np.array(classes, np.float64)
    if not len(known):
        return np.full(len(y), -1, np.int32)
    if y.dtype.kind == "i" and known[-1] - known[0] < DENSE and np.array_equal(known, known.round()):
        return _whole_codes(y, known.astype(np.int64))
    at = np.minimum(np.searchsorted(known, y), len(known) - 1).astype(np.int32)
    return np.where(known[at] == y, at, np.int32(-1))


def _whole_codes(y: NDArray[Any], known: NDArray[np.int64]) -> NDArray[np.int32]:
    """The same of whole numbers that lie close together, by a table of all between the least and the greatest."""
    least, greatest = int(known[0]), int(known[-1])
    table = np.full(greatest - least + 2, -1, np.int32)  # the last is for all others
    table[known - least] = np.arange(len(known))
    inside = (y >= least) & (y <= greatest)
    codes: NDArray[np.int32] = table[np.where(inside, y, np.int64(greatest + 1)) - least]
    return codes


def column_codes(column: pa.ChunkedArray, classes: Sequence[Value]) -> NDArray[np.int32]:
    """The same for an Arrow column, of words or numbers as the classes are."""
    if classes and isinstance(classes[0], str):
        at = pc.index_in(as_words(column), pa.array(classes, pa.string()))
        return np.asarray(at.fill_null(-1).to_numpy(), np.int32)
    if is_text(column.type):
        return np.full(len(column), -1, np.int32)
    return number_codes(numbers(column), classes)


def numbers(column: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
    """An Arrow column of numbers or bools as numpy numbers; nan where a value is missing."""
    if pa.types.is_null(column.type) or pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks != 1:
            return np.asarray(column.to_numpy())
        column = column.chunk(0)  # its to_numpy doesn't copy
    return np.asarray(column.to_numpy(zero_copy_only=False))
