"""Priority: the parameters that still move most come next [Lee et al. 2014, STRADS]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from yarnml.errors import UsageError
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

    def __post_init__(self) -> None:
        if not (self.n >= 1 and 0 < self.floor <= 1):
            raise UsageError(f"{self}: n is at least 1, and the floor above 0 and at most 1")

    @property
    def uniform(self) -> float:
        return self.floor
