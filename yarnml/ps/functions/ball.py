"""Ball: w <- w min(1, radius / |w|)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.ps.functions.function import Array, positive
from yarnml.ps.functions.proximal import Proximal


@final
@dataclass(frozen=True)
class Ball(Proximal):
    """The projection of each row onto the ball of this radius in the L2 norm."""

    radius: float = 1.0

    def __post_init__(self) -> None:
        positive(self, radius=self.radius)

    def prox(self, w: Array, eta: Array | float) -> None:  # noqa: ARG002
        top = np.abs(w).max(axis=1, keepdims=True, initial=self.radius)  # so that no square overflows
        norm = top * np.sqrt(np.square(w / top).sum(axis=1, keepdims=True))
        w *= np.minimum(1, self.radius / np.maximum(norm, self.radius))
