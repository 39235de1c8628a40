"""Add: w <- w + delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from yarnml.ps.functions.function import Array, Function, Increment, State


@final
@dataclass(frozen=True)
class Add(Function):
    """Increments are added. Whole numbers that grow beyond their type wrap around, as numpy's do."""

    local: ClassVar[bool] = True
    kinds: ClassVar[str] = "fi"

    def apply(self, values: Array, state: State, inc: Increment) -> None:  # noqa: ARG002
        self.combine(values, inc.rows, inc.delta)
