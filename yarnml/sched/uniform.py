"""Uniform: parameters at random, all with the same chance [Bradley et al. 2011, Shotgun]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from yarnml.errors import UsageError
from yarnml.sched.policy import Drawn


@final
@dataclass(frozen=True)
class Uniform(Drawn):
    """n a round."""

    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise UsageError(f"{self}: n is at least 1")

    @property
    def uniform(self) -> float:
        return 1.0
