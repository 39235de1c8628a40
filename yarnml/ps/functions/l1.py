"""L1: numbers shrink towards 0, and stay there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.ps.functions.function import Array, within
from yarnml.ps.functions.proximal import Proximal


@final
@dataclass(frozen=True)
class L1(Proximal):
    """h(w) = l1 |w|_1:  w <- sign(w) max(|w| - eta l1, 0), soft thresholding (Duchi and Singer 2009, section 5.1).

    It acts on the rows that an increment touches, like all proximal operators here.
    """

    l1: float

    def __post_init__(self) -> None:
        within(self, l1=self.l1)

    def prox(self, w: Array, eta: Array | float) -> None:
        shrink = np.asarray(eta * self.l1, w.dtype)
        np.copysign(np.maximum(np.abs(w) - shrink, 0), w, out=w)
