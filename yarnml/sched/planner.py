"""Planner: one worker's own part of the parameters: how much each moved last, and which are on their way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from yarnml.sched.picks import Index, Numbers
from yarnml.sched.policy import Drawn

PURPOSE = 0x5C4ED  # of these random numbers
NUMBER, MOVED, PUT_OFF = range(3)  # rows of candidates


@final
@dataclass(frozen=True, eq=False)
class Planner:
    """Planner w of W has the parameters w, w + W, w + 2 W, ...: neighbours are often alike, and go to different ones.

    Arrays (m,) of these; they are the planner's memory, changed in place.
    """

    source: Drawn
    index: int
    planners: int
    seed: int
    moved: Numbers  # at the last update; inf: never updated
    flying: NDArray[np.bool_]  # a candidate of a round that hasn't been yet
    put_off: Index  # how often, since the last update

    def propose(self, number: int, count: int) -> Numbers:
        """Candidates (3, <= count) of round `number`: NUMBER, MOVED, PUT_OFF of each. They fly from now on."""
        free = np.flatnonzero(~self.flying)
        chances = self.source.weigh(self.moved[free])
        key = [self.seed % 2**64, PURPOSE]
        rng = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, self.index, number]))
        drawn = free[_draw(chances, count, rng)]
        self.flying[drawn] = True
        return np.stack([drawn * self.planners + self.index, self.moved[drawn], self.put_off[drawn]]).astype(np.float64)

    def back(self, numbers: Index, *, put_off: bool) -> None:
        """These candidates, of whatever planner, weren't picked: they may be drawn again."""
        own = self._own(numbers)[0]
        self.flying[own] = False
        self.put_off[own] += put_off

    def land(self, numbers: Index, moved: Numbers) -> None:
        """These were updated and moved by so much."""
        own, mine = self._own(numbers)
        self.flying[own] = False
        self.put_off[own] = 0
        self.moved[own] = np.abs(moved[mine])

    def _own(self, numbers: Index) -> tuple[Index, NDArray[np.bool_]]:
        mine = numbers % self.planners == self.index
        return numbers[mine] // self.planners, mine


def _draw(chances: Numbers, count: int, rng: np.random.Generator) -> Index:
    """At most `count` places, drawn one by one without replacement [Efraimidis, Spirakis 2006]; inf come first."""
    keys = rng.exponential(size=len(chances)) * np.where(np.isinf(chances), 1e-300, 1.0)
    keys /= np.where(np.isinf(chances), 1.0, np.maximum(chances, 1e-300))
    drawn: Index = np.arange(len(keys)) if count >= len(keys) else np.sort(np.argpartition(keys, count)[:count])
    return drawn


def merged(candidates: list[Numbers]) -> Index:
    """All planners' candidates in the order in which they are looked at.

    First what was put off most often, so that nothing starves; then what moved most; then by number.
    """
    every = np.concatenate(candidates, axis=1)
    order = np.lexsort((every[NUMBER], -every[MOVED], -every[PUT_OFF]))
    return every[NUMBER, order].astype(np.int64)
