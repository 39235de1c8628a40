"""Width: how many parameters a round may update: fewer once the objective rises, more again as it falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.sched.picks import Numbers

WIDTH, LAST, FALLS = range(3)
CALM = 8  # falls in a row before it grows
EASE = 1e-12  # a rise of this part is rounding


@final
@dataclass(frozen=True, eq=False)
class Width:
    """`memory` (3,): the width, the last objective, falls since it last changed; changed in place."""

    most: int
    memory: Numbers

    @property
    def now(self) -> int:
        return int(self.memory[WIDTH])

    def saw(self, objective: float) -> None:
        """The objective after a round of this width. One that is nan or inf has risen."""
        width, last, falls = self.memory
        if np.isfinite(objective) and objective <= last + EASE * abs(last):
            falls += 1
            if falls >= CALM:
                width, falls = min(self.most, width + max(1, width // 4)), 0
        else:
            width, falls = max(1, width // 2), 0
        self.memory[:] = width, np.nan_to_num(objective, nan=np.inf, posinf=np.inf), falls
