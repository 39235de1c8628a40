"""Chosen: the algorithm says itself which parameters come next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.sched.picks import Index, Picks
from yarnml.sched.policy import Fixed


@final
@dataclass(frozen=True)
class Chosen(Fixed):
    """`choose(round)`, called as the round begins, by every worker and with the same result.

    For one that knows how far off each parameter is. What it looks at must be there after a recovery too.
    """

    choose: Callable[[int], Index]

    def picks(self, number: int, parameters: int, workers: int) -> Picks:
        return Picks(np.asarray(self.choose(number), np.int64))
