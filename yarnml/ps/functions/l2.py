"""L2: numbers shrink by a factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.ps.functions.function import Array, within
from yarnml.ps.functions.proximal import Proximal


@final
@dataclass(frozen=True)
class L2(Proximal):
    """h(w) = l2 |w|² / 2:  w <- w / (1 + eta l2) (Duchi and Singer 2009, section 5.2)."""

    l2: float

    def __post_init__(self) -> None:
        within(self, l2=self.l2)

    def prox(self, w: Array, eta: Array | float) -> None:
        w /= np.asarray(1 + eta * self.l2, w.dtype)
