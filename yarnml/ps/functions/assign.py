"""Assign: w <- delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from yarnml.ps.functions.function import Array, Function, Where


@final
@dataclass(frozen=True)
class Assign(Function):
    """Increments replace the row. Of several workers in one clock the last one by index wins (staleness 0)."""

    local: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    def apply(self, values: Array, state: dict[str, Array], rows: Where, delta: Array, share: float) -> None:  # noqa: ARG002
        values[rows] = delta

    def combine(self, into: Array, rows: Where, delta: Array) -> None:
        into[rows] = delta
