"""Triples: lines of a few numbers with blanks between them, as bags of words and matrices are listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from hdfs_io.errors import DataError
from hdfs_io.kernels.records import squeeze
from hdfs_io.spoken import many

MOST_DIGITS = 18  # of a size; what has more is none
EMPTY = 1000  # rows for each stored number, beyond which a file's sizes are taken to be wrong


def sizes_of(words: Sequence[bytes]) -> list[int] | None:
    """The sizes that a file begins with; None if one of them is no number."""
    fine = all(word.isdigit() and len(word) <= MOST_DIGITS for word in words)
    return [int(word) for word in words] if fine else None


def refuse_sizes(url: str, rows: int, columns: int, stored: int) -> None:
    """DataError for sizes that no file like this has, before memory is taken for them."""
    if max(rows, columns) >= 2**31 or rows > EMPTY * (stored + EMPTY):
        sizes = f"{many(rows, 'row')}, {many(columns, 'column')} and {many(stored, 'number')}"
        raise DataError(f"{url}: says that it holds {sizes}: too large")


def numbers_of(text: NDArray[np.uint8], columns: Mapping[str, pa.DataType], where: str) -> list[NDArray[Any]]:
    """The columns of the lines in `text`, which is overwritten. DataError, which begins `where`, for other lines."""
    size = int(squeeze(text, 0, len(text)))
    if not (text[:size] > ord(" ")).any():
        return [np.empty(0, kind.to_pandas_dtype()) for kind in columns.values()]
    read = pacsv.ReadOptions(use_threads=False, block_size=size + 1, column_names=list(columns))
    parse = pacsv.ParseOptions(delimiter=" ", quote_char=False)
    convert = pacsv.ConvertOptions(column_types=dict(columns), null_values=[])
    try:
        table = pacsv.read_csv(pa.BufferReader(pa.py_buffer(text[:size].data)), read, parse, convert)
    except pa.ArrowInvalid as error:
        raise DataError(f"{where}: not lines of `{' '.join(columns)}`: {error}") from error
    return [column.to_numpy() for column in table.columns]
