"""Memory: all that a worker's planning knows from one round to the next: arrays, changed in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from yarnml.sched.picks import Index, Numbers

NONE = -1  # where a plan has no candidate
ROUND, PLANNED = range(2)
Keep = Callable[[str, Callable[[], NDArray[Any]]], NDArray[Any]]


@final
@dataclass(frozen=True, eq=False)
class Memory:
    """Of a worker's own m parameters: `moved`, `flying`, `put_off`. The rest is of the rounds, alike on all workers."""

    moved: Numbers  # (m,) at its last update; inf: it never was
    flying: NDArray[np.bool_]  # (m,) is a candidate of a round that hasn't been yet
    put_off: Index  # (m,) times since its last update
    at: Index  # (2,) ROUND: rounds that have been; PLANNED: rounds that have candidates
    plans: Index  # (rounds ahead, most candidates of one) that of round t in row t mod rounds ahead, NONE after it
    width: Numbers  # (3,) as `Width` has it

    @classmethod
    def of(
        cls,
        keep: Callable[[str, Callable[[], NDArray[Any]]], NDArray[Any]],
        own: int,
        ahead: int,
        most: int,
        width: int,
    ) -> Self:
        """`keep(name, init)`: the array of that name, as it is remembered or else as `init` makes it."""
        return cls(
            moved=keep("moved", lambda: np.full(own, np.inf)),
            flying=keep("flying", lambda: np.zeros(own, np.bool_)),
            put_off=keep("put_off", lambda: np.zeros(own, np.int64)),
            at=keep("at", lambda: np.zeros(2, np.int64)),
            plans=keep("plans", lambda: np.full((ahead, most), NONE)),
            width=keep("width", lambda: np.array([width, np.inf, 0.0])),
        )

    def plan(self, number: int) -> Index:
        """The candidates of a planned round, in the order in which they are looked at."""
        row = self.plans[number % len(self.plans)]
        candidates: Index = row[row != NONE]
        return candidates

    def keep_plan(self, number: int, candidates: Index) -> None:
        row = self.plans[number % len(self.plans)]
        row[:] = NONE
        row[: len(candidates)] = candidates
        self.at[PLANNED] = number + 1
