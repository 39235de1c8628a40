"""Simplex: the nearest row of numbers that are not negative and have a given sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from yarnml.kernels import simplex as kernels
from yarnml.ps.functions.function import Array, positive
from yarnml.ps.functions.proximal import Proximal


@final
@dataclass(frozen=True)
class Simplex(Proximal):
    """The projection of each row onto {w >= 0, sum w = total} (Duchi, Shalev-Shwartz, Singer, Chandra 2008, fig. 1)."""

    total: float = 1.0

    def __post_init__(self) -> None:
        positive(self, total=self.total)

    def prox(self, w: Array, eta: Array | float) -> None:  # noqa: ARG002
        kernels.simplex(w, self.total)
