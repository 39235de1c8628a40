"""Encode: columns in memory as the features that a schema makes from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.errors import DataError
from hdfs_io.formats.vectors import unpack
from hdfs_io.labels import NONE, word_codes, words
from hdfs_io.schema import Schema


def encode(
    column: Callable[[str], Any], rows: int, schema: Schema, unknown: Literal["stop", "drop"] = "stop"
) -> NDArray[np.float32]:
    """Dense features (rows, width); `column` gives a column by its name, as anything that Arrow or numpy takes.

    DataError for vectors of another width, and for a word that the schema doesn't know; where such are to `drop`, it
    sets none of its column's features.
    """
    X = np.zeros((rows, schema.width), np.float32)
    begin = 0
    for each in schema.columns:
        values = column(each.column)
        part = X[:, begin : begin + each.width]
        if each.words is not None:
            codes = word_codes(_arrow(values), each.words)
            if unknown == "stop":
                _refuse_strangers(_arrow(values), codes, each.column, schema)
            known = np.flatnonzero(codes >= 0)
            part[known, codes[known]] = 1
        elif each.is_vector:
            stored = unpack(_arrow(values), each.column, lambda row, what: f"row {row}: {what}")
            if rows and stored.width != each.width:
                raise DataError(
                    f"column {each.column!r} holds {stored.width} numbers, the model's data had {each.width}"
                )
            part[:] = stored.dense() if rows else part
        else:
            part[:, 0] = np.asarray(values, np.float32) if each.scale == 1 else np.asarray(values, float) * each.scale
        begin += each.width
    return X


def _refuse_strangers(values: Any, codes: NDArray[np.int32], name: str, schema: Schema) -> None:
    strange = codes < 0
    if schema.missing == "zero":
        strange &= np.asarray(pc.not_equal(words(values), NONE))
    if strange.any():
        row = int(strange.argmax())
        raise DataError(
            f"row {row}: column {name!r} holds {str(values[row])[:40]!r}, which the model's data didn't: "
            f"{int(strange.sum()):,} such words; use the data that the model was made for, or drop them: unknown='drop'"
        )


def _arrow(values: Any) -> Any:
    return values if isinstance(values, pa.ChunkedArray | pa.Array) else pa.array(values)
