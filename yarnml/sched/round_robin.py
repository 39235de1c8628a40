"""RoundRobin: parameters in turn, by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.sched.picks import Picks
from yarnml.sched.policy import Fixed


@final
@dataclass(frozen=True)
class RoundRobin(Fixed):
    """n a round, for every worker the same (CCD++'s ranks: n = 1), or shared out by Balance."""

    n: int = 1

    def picks(self, number: int, parameters: int, workers: int) -> Picks:
        n = min(self.n, parameters)
        return Picks((number * n + np.arange(n)) % max(1, parameters))
