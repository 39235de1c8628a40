"""Elastic: L1 and L2 at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from yarnml.ps.functions.function import Array
from yarnml.ps.functions.l1 import L1
from yarnml.ps.functions.l2 import L2
from yarnml.ps.functions.proximal import Proximal


@final
@dataclass(frozen=True)
class Elastic(Proximal):
    """h(w) = l1 |w|_1 + l2 |w|² / 2 (Zou and Hastie 2005):  w <- sign(w) max(|w| - eta l1, 0) / (1 + eta l2)
    (Parikh and Boyd 2014, section 6.5.3)."""

    l1: float
    l2: float

    def __post_init__(self) -> None:
        L1(self.l1), L2(self.l2)

    def prox(self, w: Array, eta: Array | float) -> None:
        L1(self.l1).prox(w, eta)
        L2(self.l2).prox(w, eta)
