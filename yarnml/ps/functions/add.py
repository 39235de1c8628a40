"""Add: w <- w + delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from yarnml.kernels import rows as kernels
from yarnml.ps.functions.function import Array, Function, Where


@final
@dataclass(frozen=True)
class Add(Function):
    """Increments are added."""

    local: ClassVar[bool] = True

    def apply(self, values: Array, state: dict[str, Array], rows: Where, delta: Array, share: float) -> None:  # noqa: ARG002
        if isinstance(rows, slice):
            kernels.add(values[rows], delta)
        else:
            kernels.add_rows(values, rows, delta)
