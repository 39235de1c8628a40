"""Adam: the increment is a gradient, the server takes the step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from yarnml.kernels import steps as kernels
from yarnml.ps.functions.function import Array, Function, Increment, State, Where, positive, within


@final
@dataclass(frozen=True)
class Adam(Function):
    """Kingma and Ba 2015, algorithm 1, on the rows that an increment touches:

        t <- t + 1;  m <- beta1 m + (1 - beta1) g;  v <- beta2 v + (1 - beta2) g²
        w <- w - lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps)

    t is the server's own count of a row's steps, whatever the workers' clocks are. The workers' increments of a clock
    add up to g. Where they are applied one by one (staleness > 0), each is its worker's estimate of `share` of g and
    takes `share` of a step: t grows by it, the betas are raised to it, and so is lr multiplied.
    """

    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8

    local: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive(self, lr=self.lr, eps=self.eps)
        within(self, high=1.0, beta1=self.beta1, beta2=self.beta2)

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> State:
        return {"m": np.zeros(shape, dtype), "v": np.zeros(shape, dtype), "t": np.zeros((shape[0], 1))}

    def apply(self, values: Array, state: State, inc: Increment) -> None:
        rows = kernels.listed(inc.rows)
        numbers = self.lr, self.beta1, self.beta2, self.eps, inc.share
        kernels.adam_rows(values, state["m"], state["v"], state["t"], rows, inc.delta, *numbers)

    def rate(self, state: State, rows: Where) -> Array | float:
        v = state["v"][rows] / (1 - self.beta2 ** state["t"][rows])
        eta: Array = (self.lr / (np.sqrt(v) + self.eps)).astype(state["v"].dtype)
        return eta
