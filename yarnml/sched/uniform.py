"""Uniform: parameters at random, all with the same chance [Bradley et al. 2011, Shotgun]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.sched.picks import Numbers
from yarnml.sched.policy import Drawn


@final
@dataclass(frozen=True)
class Uniform(Drawn):
    """n a round."""

    n: int

    def weigh(self, priority: Numbers) -> Numbers:
        return np.ones(len(priority))
