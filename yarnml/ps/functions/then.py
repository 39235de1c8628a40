"""Then: a step, and a proximal operator on the rows that it changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from yarnml.errors import UsageError
from yarnml.ps.functions.function import Array, Function, Increment, State, Where
from yarnml.ps.functions.proximal import Proximal


@final
@dataclass(frozen=True)
class Then(Function):
    """w <- prox(step(w), eta), forward and backward (Duchi and Singer 2009; with AdaGrad, Duchi et al. 2011, eq. 4).

    `Then(Add(), NonNegative())` adds and projects; `Then(AdaGrad(lr), L1(l1))` shrinks each number by its own step
    size, eta = `step.rate`. With Add, whose increments are steps already, eta is 1: the penalties are the shrinkage of
    one clock. Where increments are applied one by one (staleness > 0) each brings its share of eta. More operators
    follow each other as Then(Then(step, one), another).
    """

    step: Function
    end: Proximal

    local: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.step, Function) or not isinstance(self.end, Proximal):
            raise UsageError(f"Then({self.step!r}, {self.end!r}): a function such as AdaGrad, then one such as L1")
        if not self.step.adds:
            raise UsageError(f"Then({self.step!r}, {self.end!r}): increments of the first must add up, like Add's")

    @property
    def remembers(self) -> str | None:
        return self.step.remembers

    def unfit(self, kind: str) -> str:
        return self.step.unfit(kind) or ("" if kind in self.end.kinds else type(self.end).__name__)

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> State:
        return self.step.state(shape, dtype)

    def apply(self, values: Array, state: State, inc: Increment) -> None:
        self.step.apply(values, state, inc)
        w = values[inc.rows]  # a view of consecutive rows, a copy of listed ones
        self.end.prox(w, inc.share * self.step.rate(state, inc.rows))
        if not isinstance(inc.rows, slice):
            values[inc.rows] = w

    def rate(self, state: State, rows: Where) -> Array | float:
        return self.step.rate(state, rows)
