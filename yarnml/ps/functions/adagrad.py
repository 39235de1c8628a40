"""AdaGrad: the increment is a gradient, the server takes the step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from yarnml.kernels import rows as kernels
from yarnml.ps.functions.function import Array, Function, Where


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

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> dict[str, Array]:
        return {"G": np.zeros(shape, dtype)}

    def apply(self, values: Array, state: dict[str, Array], rows: Where, delta: Array, share: float) -> None:
        if isinstance(rows, slice):
            kernels.adagrad(values[rows], state["G"][rows], delta, self.lr, self.l2 * share, self.eps)
        else:
            kernels.adagrad_rows(values, state["G"], rows, delta, self.lr, self.l2 * share, self.eps)
