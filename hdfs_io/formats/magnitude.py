"""Magnitude: between which numbers a column lies, and which of them a float32 can't hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.labels import numbers

BEYOND = (2 - 2.0**-24) * 2.0**127  # what is as large or larger rounds to inf as float32
NORMAL = 2.0**-126  # what is smaller loses digits as float32


@dataclass(frozen=True, eq=False)
class Magnitude:
    """What a column of numbers holds."""

    range: tuple[float, float] | None  # of its numbers, those beyond float32 too; None where there are none
    missing: NDArray[np.bool_] | None = None  # values that are nothing, nan or inf; None: no such
    large: NDArray[np.bool_] | None = None  # numbers that float32 doesn't hold


def magnitude(column: pa.ChunkedArray, scale: float = 1.0) -> Magnitude:
    """Look at a column of numbers, which are multiplied by `scale` before they become float32."""
    if not (pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)):
        ends = pc.min_max(column).as_py()
        missing = np.asarray(column.is_null()) if column.null_count else None
        return Magnitude(None if ends["min"] is None else (float(ends["min"]), float(ends["max"])), missing)
    x = numbers(column)
    if not len(x):
        return Magnitude(None)
    with np.errstate(invalid="ignore"):
        low, high = float(x.min()), float(x.max())
    if fits(low, high, scale):
        return Magnitude((low, high))
    missing = ~np.isfinite(x)
    large = ~missing & (np.abs(x) >= BEYOND / scale)
    fine = x[~missing]
    return Magnitude((float(fine.min()), float(fine.max())) if len(fine) else None, missing, large)


def fits(low: float, high: float, scale: float = 1.0) -> bool:
    """Whether all numbers from `low` to `high` are finite as float32."""
    return max(-low, high) * scale < BEYOND and math.isfinite(low) and math.isfinite(high)


def scale_for(low: float, high: float) -> float:
    """The power of two by which these numbers are multiplied so that float32 holds them: 1 where it does."""
    top = max(-low, high)
    if NORMAL <= top < BEYOND or top == 0:
        return 1.0
    return math.ldexp(1.0, min(-math.frexp(top)[1], 1000))  # the greatest then lies between 1/2 and 1
