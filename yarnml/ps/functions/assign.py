"""Assign: w <- delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from yarnml.ps.functions.function import Array, Function, Increment, State, Where


@final
@dataclass(frozen=True)
class Assign(Function):
    """Increments replace the row. Of several workers in one clock the last one by index wins (staleness 0)."""

    local: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    kinds: ClassVar[str] = "fi"

    def apply(self, values: Array, state: State, inc: Increment) -> None:  # noqa: ARG002
        values[inc.rows] = inc.delta

    def combine(self, into: Array, rows: Where, delta: Array) -> None:
        into[rows] = delta
