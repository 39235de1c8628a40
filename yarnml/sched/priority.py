"""Priority: the parameters that still move most come next [Lee et al. 2014, STRADS]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.sched.picks import Numbers
from yarnml.sched.policy import Drawn


@final
@dataclass(frozen=True)
class Priority(Drawn):
    """n a round, drawn with chances c_j ~ |change of j at its last update| + eta.

    `floor`: eta is such that this part of the draws is uniform, so that none is forgotten. What has never been updated
    comes first, in random order: a uniform pass warms up.
    """

    n: int
    floor: float = 0.1

    def weigh(self, priority: Numbers) -> Numbers:
        known = np.isfinite(priority)
        total = float(priority[known].sum())
        eta = self.floor / (1 - self.floor) * total / max(1, int(known.sum())) if total > 0 else 1.0
        return priority + eta
