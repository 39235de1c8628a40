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

from typing import final

import numpy as np
from numpy.typing import NDArray

from yarnml.sched.events import Begin, Effect, Event, Heard, Judge, Judged, Moved, Run, Tell
from yarnml.sched.memory import ROUND, Memory
from yarnml.sched.picks import Index
from yarnml.sched.planner import Planner, merged
from yarnml.sched.width import Width


@final
class Machine:
    """All that it knows from one round to the next is in its planner's, its width's and its own memory."""

    def __init__(self, planner: Planner, width: Width, memory: Memory, depth: int, count: int) -> None:
        """`count`: candidates that each planner draws for a round."""
        self._planner, self._width, self._memory = planner, width, memory
        self._depth, self._count = depth, count
        self._verdicts: dict[int, NDArray[np.bool_]] = {}
        self._waiting = False  # for what a round that was to begin lacks

    def handle(self, event: Event) -> list[Effect]:
        match event:
            case Begin():
                self._waiting = True
                return self._begin()
            case Heard(number, candidates):
                order = merged(candidates)
                self._memory.keep_plan(number, order)
                return [Judge(number, order), *self._begin()]
            case Judged(number, kept):
                self._verdicts[number] = kept
                return self._begin()
            case Moved():
                self._moved(event)
                return []

    def known(self) -> list[Effect]:
        """After a recovery: the plans that are remembered, to be judged once more."""
        first, end = self._memory.at.tolist()
        return [Judge(number, self._memory.plan(number)) for number in range(first, end)]

    def check(self) -> None:
        """Between rounds: who flies is who is planned."""
        first, end = self._memory.at.tolist()
        assert first <= end <= first + self._depth
        self._planner.check([self._memory.plan(number) for number in range(first, end)])

    def _begin(self) -> list[Effect]:
        """The next round, once it is planned and judged."""
        if not self._waiting:
            return []
        number, planned = self._memory.at.tolist()
        if planned < number + max(1, self._depth):
            return [self._draw(planned)]
        if number not in self._verdicts:
            return []
        self._waiting = False
        picks, put_off = self._settle(number)
        return [Run(number, picks, put_off, self._draw(planned) if self._depth else None)]

    def _draw(self, number: int) -> Tell:
        return Tell(number, self._planner.propose(number, self._count))

    def _settle(self, number: int) -> tuple[Index, Index]:
        """The round's picks, and what is put off. What isn't picked flies no more."""
        candidates, kept = self._memory.plan(number), self._verdicts.pop(number)
        picks, more = np.split(candidates[kept], [self._width.now])
        self._planner.back(more, put_off=False)
        self._planner.back(candidates[~kept], put_off=True)
        return picks, candidates[~kept]

    def _moved(self, event: Moved) -> None:
        self._planner.land(event.picks, event.moved)
        if event.objective is not None:
            self._width.saw(event.objective)
        self._memory.at[ROUND] += 1
