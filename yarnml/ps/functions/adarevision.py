"""AdaRevision: AdaGrad that knows by how much a gradient came late, and revises the steps taken meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from yarnml.kernels import steps as kernels
from yarnml.ps.functions.function import Array, Function, Increment, State, Where, positive


@final
@dataclass(frozen=True)
class AdaRevision(Function):
    """McMahan and Streeter 2014, algorithm AdaptiveRevision; z and zmax begin at 1, S is the sum of all gradients.

        b <- S - S as it was when the worker read the row: the gradients that it couldn't know
        eta <- lr / sqrt(zmax);  z <- z + g² + 2 g b;  zmax <- max(z, zmax);  eta' <- lr / sqrt(zmax)
        w <- w - eta' g + (eta - eta') b;  S <- S + g

    The server notes S for each worker as it answers its reads, so nothing more travels. At staleness 0 no gradient is
    late: b = 0. A row that a worker adds to in a clock without having read it counts as read just now.
    """

    lr: float

    local: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive(self, lr=self.lr)

    @property
    def remembers(self) -> str | None:
        return "S"

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> State:
        return {"S": np.zeros(shape, dtype), "z": np.ones(shape, dtype), "zmax": np.ones(shape, dtype)}

    def apply(self, values: Array, state: State, inc: Increment) -> None:
        rows = kernels.listed(inc.rows)
        seen = state["S"][inc.rows] if inc.seen is None else inc.seen
        kernels.adarevision_rows(values, state["S"], state["z"], state["zmax"], rows, inc.delta, seen, self.lr)

    def rate(self, state: State, rows: Where) -> Array | float:
        zmax = state["zmax"][rows]
        eta: Array = zmax.dtype.type(self.lr) / np.sqrt(zmax)
        return eta
