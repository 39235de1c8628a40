"""Min: w <- min(w, delta)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from yarnml.kernels import rows as kernels
from yarnml.ps.functions.function import Array, Function, Increment, State, Where


@final
@dataclass(frozen=True)
class Min(Function):
    """The smaller number stays; a nan stays whatever comes."""

    local: ClassVar[bool] = True
    kinds: ClassVar[str] = "fi"

    def apply(self, values: Array, state: State, inc: Increment) -> None:  # noqa: ARG002
        self.combine(values, inc.rows, inc.delta)

    def blank(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
        return np.full(shape, np.iinfo(dtype).max if dtype.kind == "i" else np.inf, dtype)

    def combine(self, into: Array, rows: Where, delta: Array) -> None:
        if isinstance(rows, slice):
            np.minimum(into[rows], delta, out=into[rows])
        else:
            kernels.min_rows(into, rows, delta)
