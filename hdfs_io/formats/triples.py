"""Triples: lines of a few numbers with blanks between them, as bags of words and matrices are listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from numpy.typing import NDArray

from hdfs_io.errors import DataError
from hdfs_io.kernels.records import squeeze


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
