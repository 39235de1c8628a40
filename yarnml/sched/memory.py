"""Memory: all that planning knows from one round to the next: arrays, alike on all workers, changed in place."""

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
    """Of each parameter `moved` and `put_off`; the rest is of the rounds.

    Every worker hears of all parameters, and remembers them: so that as many workers as there are, now or later, may
    plan them.
    """

    moved: Numbers  # (n,) at its last update; inf: it never was
    put_off: Index  # (n,) times since its last update
    at: Index  # (2,) ROUND: rounds that have been; PLANNED: rounds that have candidates
    plans: Index  # (rounds ahead, most candidates of one) that of round t in row t mod rounds ahead, NONE after it
    width: Numbers  # (3,) as `Width` has it

    @classmethod
    def of(cls, keep: Keep, parameters: int, ahead: int, most: int, width: int) -> Self:
        """`keep(name, init)`: the array of that name, as it is remembered or else as `init` makes it.

        Where it was kept of rounds with other plans or another width, these begin anew; the parameters are as known.
        """
        form, now = keep("form", lambda: np.zeros(3, np.int64)), (ahead, most, width)
        memory = cls(
            moved=keep("moved", lambda: np.full(parameters, np.inf)),
            put_off=keep("put_off", lambda: np.zeros(parameters, np.int64)),
            at=keep("at", lambda: np.zeros(2, np.int64)),
            plans=keep(f"plans/{ahead}x{most}", lambda: np.full((ahead, most), NONE)),
            width=keep("width", lambda: np.zeros(3)),
        )
        if tuple(form) != now:
            form[:] = now
            memory.at[PLANNED] = memory.at[ROUND]
            memory.width[:] = width, np.inf, 0
        return memory

    def plan(self, number: int) -> Index:
        """The candidates of a planned round, in the order in which they are looked at."""
        row = self.plans[number % len(self.plans)]
        candidates: Index = row[row != NONE]
        return candidates

    def planned(self) -> list[tuple[int, Index]]:
        """The rounds that have candidates and haven't been, and their candidates."""
        return [(number, self.plan(number)) for number in range(*self.at.tolist())]

    def keep_plan(self, number: int, candidates: Index) -> None:
        row = self.plans[number % len(self.plans)]
        row[:] = NONE
        row[: len(candidates)] = candidates
        self.at[PLANNED] = number + 1
