"""A function: how an increment changes a row, and how two increments become one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from yarnml.kernels import rows as kernels

Array = npt.NDArray[Any]
Where = slice | npt.NDArray[np.int64]  # consecutive rows, or rows listed at most once each


class Function(ABC):
    """Works on blocks of rows; is the same on every server, so it keeps what it must remember in `state`."""

    local: ClassVar[bool]
    """No state is needed, and increments may be applied one by one: a worker sees its own before the server has them.
    Otherwise the sum of all workers' increments of a clock is applied once (staleness 0)."""

    ordered: ClassVar[bool] = False
    """Increments of one worker don't commute."""

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> dict[str, Array]:  # noqa: ARG002
        """Arrays that the server keeps beside rows of `shape`, by name."""
        return {}

    @abstractmethod
    def apply(self, values: Array, state: dict[str, Array], rows: Where, delta: Array, share: float) -> None:
        """Change `values[rows]` and `state` in place by `delta` (len(rows), width).

        `share`: the part of a clock's increments that `delta` is, 1 for all workers' together, else 1 / workers.
        """

    def combine(self, into: Array, rows: Where, delta: Array) -> None:
        """Merge increments `delta` into the increments `into[rows]`, which start as zeros; here rows may repeat."""
        if isinstance(rows, slice):
            kernels.add(into[rows], delta)
        else:
            kernels.add_rows(into, rows, delta)
