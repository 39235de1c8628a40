"""Rounding: values as float16 on the wire, and what that takes off increments, which is sent later.

Error feedback (Seide et al. 2014; Karimireddy et al. 2019): what is sent is the rounded sum of an increment and of what
rounding has held back from the same rows so far.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.wire.message import Patch

Array = npt.NDArray[Any]
TOP = 15  # the largest number of an array becomes one in [2^14, 2^15): float16 ends at 2^16, and is coarse below 2^-14
EXPONENTS = (-127, 1 << 14)


def rounded(values: Array) -> tuple[Array, int]:
    """The nearest numbers that are float16 times 2**exponent, and this exponent. Not finite ones stay as they are."""
    sizes = np.abs(values)
    top = float(sizes.max(initial=0.0))
    if not np.isfinite(top):
        top = float(sizes.max(initial=0.0, where=np.isfinite(sizes)))
    exponent = int(np.clip(np.frexp(top)[1] - TOP, *EXPONENTS))
    half = np.ldexp(values, -exponent).astype(np.float16)
    return np.ldexp(half.astype(values.dtype), exponent), exponent


@final
class Rounding:
    """Of one worker's increments of one table, which add up."""

    def __init__(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> None:
        self._held = np.zeros(shape, dtype)  # memory comes with use

    def round(self, patch: Patch) -> Patch:
        """What leaves now of these increments and of what was held back."""
        rows = slice(patch.start, patch.start + len(patch.values)) if patch.rows is None else patch.rows
        wanted = patch.values + self._held[rows]
        values, exponent = rounded(wanted)
        with np.errstate(invalid="ignore"):
            rest = wanted - values
        self._held[rows] = np.where(np.isfinite(rest), rest, 0)
        return Patch(patch.table, patch.start, patch.rows, values, exponent)

    def rest(self, table: int) -> list[Patch]:
        """All that is held back, as it is; nothing is any more."""
        rows = np.flatnonzero(self._held.any(axis=1))
        values = self._held[rows]
        self._held[rows] = 0
        return [Patch(table, -1, rows, values)] if len(rows) else []
