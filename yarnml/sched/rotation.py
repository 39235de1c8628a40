"""Rotation: each worker has a block of its own, and passes it on after the round [Kim et al. 2016, STRADS]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.sched.picks import Picks, shared
from yarnml.sched.policy import Fixed


@final
@dataclass(frozen=True)
class Rotation(Fixed):
    """Worker w has block (w + t) mod W in round t: W rounds bring every worker to every parameter, no two at once.

    Block b is [b n / W, (b + 1) n / W) of the n parameters.
    """

    def picks(self, number: int, parameters: int, workers: int) -> Picks:
        blocks = [(worker + number) % workers for worker in range(workers)]
        return shared([np.arange(parameters * b // workers, parameters * (b + 1) // workers) for b in blocks])
