"""AdaGrad: the increment is a gradient, the server takes the step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from yarnml.kernels import steps as kernels
from yarnml.ps.functions.function import Array, Function, Increment, State, Where, positive, within


@final
@dataclass(frozen=True)
class AdaGrad(Function):
    """Duchi, Hazan, Singer 2011, diagonal case: g <- g + l2 w;  G <- G + g²;  w <- w - lr g / sqrt(G + eps).

    The workers' increments of a clock add up to g, the mean gradient over the clock's batch. `l2` acts on the rows
    that an increment touches. Where increments are applied one by one (staleness > 0) each brings its share of `l2`.
    """

    lr: float
    l2: float = 0.0
    eps: float = 1e-8

    local: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive(self, lr=self.lr, eps=self.eps)
        within(self, l2=self.l2)

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> State:
        return {"G": np.zeros(shape, dtype)}

    def apply(self, values: Array, state: State, inc: Increment) -> None:
        l2 = self.l2 * inc.share
        if isinstance(inc.rows, slice):
            kernels.adagrad(values[inc.rows], state["G"][inc.rows], inc.delta, self.lr, l2, self.eps)
        else:
            kernels.adagrad_rows(values, state["G"], inc.rows, inc.delta, self.lr, l2, self.eps)

    def rate(self, state: State, rows: Where) -> Array | float:
        G = state["G"][rows]
        eta: Array = G.dtype.type(self.lr) / np.sqrt(G + G.dtype.type(self.eps))
        return eta
