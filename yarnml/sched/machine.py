"""Machine: rounds that are planned while others run, as one worker sees them: events in, effects out.

With depth d (here 1) a round's candidates are drawn d rounds ahead, and travel with the sums of the round between:

    round         0            1            2
    draw      1            2            3            from what is known before the round's own sums
    exchange  sums 0, 1    sums 1, 2    sums 2, 3    one message a round
    judge         1            2            3        at d > 1 beside the update, which doesn't wait for it

Every worker hears the same candidates in the same order and judges them alike, so that all run the same picks, and no
two of them depend on each other, whichever planners they came from. At d = 0 candidates are exchanged first, alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from yarnml.sched.events import Begin, Effect, Event, Heard, Judge, Judged, Moved, Run, Tell
from yarnml.sched.picks import Index
from yarnml.sched.planner import Planner, merged
from yarnml.sched.width import Width

NONE = -1  # where a plan has no candidate
ROUND, PLANNED = range(2)  # rounds that have ended; rounds that have candidates


@final
@dataclass(eq=False)
class Machine:
    """`at` (2,) and `plans` (max(1, depth), most candidates) are its memory, changed in place.

    `count`: candidates that each planner draws for a round.
    """

    planner: Planner
    width: Width
    depth: int
    count: int
    at: Index
    plans: Index
    verdicts: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    waiting: bool = False  # for what a round that was to begin lacks

    def handle(self, event: Event) -> list[Effect]:
        match event:
            case Begin():
                self.waiting = True
                return self._begin()
            case Heard(number, candidates):
                return [self._heard(number, merged(candidates)), *self._begin()]
            case Judged(number, kept):
                self.verdicts[number] = kept
                return self._begin()
            case Moved():
                self._moved(event)
                return []

    def known(self) -> list[Effect]:
        """After a recovery: the plans that are remembered, to be judged once more."""
        return [Judge(number, self._plan(number)) for number in range(self.at[ROUND], self.at[PLANNED])]

    def _begin(self) -> list[Effect]:
        """The next round, once it is planned and judged."""
        if not self.waiting:
            return []
        number, planned = int(self.at[ROUND]), int(self.at[PLANNED])
        if planned < number + max(1, self.depth):
            return [self._draw(planned)]
        if number not in self.verdicts:
            return []
        self.waiting = False
        picks, put_off = self._settle(number)
        return [Run(number, picks, put_off, self._draw(number + self.depth) if self.depth else None)]

    def _draw(self, number: int) -> Tell:
        return Tell(number, self.planner.propose(number, self.count))

    def _heard(self, number: int, candidates: Index) -> Judge:
        row = self.plans[number % len(self.plans)]
        row[:] = NONE
        row[: len(candidates)] = candidates
        self.at[PLANNED] = number + 1
        return Judge(number, candidates)

    def _settle(self, number: int) -> tuple[Index, Index]:
        """The round's picks, and what was put off. What isn't picked flies no more."""
        candidates, kept = self._plan(number), self.verdicts.pop(number)
        picks, more = np.split(candidates[kept], [self.width.now])
        self.planner.back(more, put_off=False)
        self.planner.back(candidates[~kept], put_off=True)
        return picks, candidates[~kept]

    def _moved(self, event: Moved) -> None:
        self.planner.land(event.picks, event.moved)
        if event.objective is not None:
            self.width.saw(event.objective)
        self.at[ROUND] += 1

    def _plan(self, number: int) -> Index:
        row = self.plans[number % len(self.plans)]
        plan: Index = row[row != NONE]
        return plan
