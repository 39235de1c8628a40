"""NonNegative: w <- max(w, 0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from yarnml.ps.functions.function import Array
from yarnml.ps.functions.proximal import Proximal


@final
@dataclass(frozen=True)
class NonNegative(Proximal):
    """The projection onto numbers that are not negative."""

    kinds: ClassVar[str] = "fi"

    def prox(self, w: Array, eta: Array | float) -> None:  # noqa: ARG002
        np.maximum(w, 0, out=w)
