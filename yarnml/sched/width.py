"""Width: how many parameters a round may update: fewer once the objective rises, more again as it falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.sched.picks import Numbers

WIDTH, LEAST, FALLS = range(3)
CALM = 8  # falls in a row before it grows
EASE = 1e-6  # a rise of this part is rounding, of sums of float32 too


@final
@dataclass(frozen=True, eq=False)
class Width:
    """`memory` (3,): the width, the least objective since a rise, falls since it last changed; changed in place."""

    most: int
    memory: Numbers

    @property
    def now(self) -> int:
        return int(self.memory[WIDTH])

    def saw(self, objective: float) -> None:
        """The objective after a round of this width. One that is nan or inf has risen."""
        width, least, falls = self.memory
        if np.isfinite(objective) and objective <= least + EASE * abs(least):
            least, falls = min(least, objective), falls + 1
            if falls >= CALM:
                width, falls = min(self.most, width + max(1, width // 4)), 0
        else:
            width, falls = max(1, width // 2), 0
            least = np.nan_to_num(objective, nan=np.inf, posinf=np.inf)
        self.memory[:] = width, least, falls
