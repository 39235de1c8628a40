"""Rotation: each worker has a block of its own, and passes it on after the round [Kim et al. 2016, STRADS]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from yarnml.sched.picks import Index, Picks
from yarnml.sched.policy import Fixed


@final
@dataclass(frozen=True)
class Rotation(Fixed):
    """Worker w has block (w + t) mod W in round t: W rounds bring every worker to every parameter, no two at once.

    Block b is [b n / W, (b + 1) n / W) of the n parameters.
    """

    def picks(self, number: int, parameters: int, workers: int) -> Picks:
        cuts = parameters * np.arange(workers + 1) // workers
        first = number % workers
        numbers = _twice(parameters)[cuts[first] :][:parameters]
        return Picks(numbers, np.cumsum([0, *np.roll(np.diff(cuts), -first)]))


@lru_cache(1)
def _twice(parameters: int) -> Index:
    """All numbers, and once more: a round's, from whichever block on, are a part of it."""
    numbers = np.tile(np.arange(parameters), 2)
    numbers.setflags(write=False)
    return numbers
