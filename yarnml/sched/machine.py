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

from yarnml.sched.events import Begin, Effect, Event, Heard, Judge, Judged, Moved, Run, Tell
from yarnml.sched.memory import ROUND, Memory
from yarnml.sched.picks import Index, Numbers
from yarnml.sched.planner import Planner, merged
from yarnml.sched.width import Width


@final
class Machine:
    """All that it knows from one round to the next is in its memory, which its planner and its width share."""

    def __init__(self, planner: Planner, width: Width, memory: Memory, depth: int, count: int) -> None:
        """`count`: candidates that each planner draws for a round."""
        self._planner, self._width, self._memory = planner, width, memory
        self._depth, self._count = depth, count
        self._verdicts: dict[int, Index] = {}
        self._waiting = False  # for what a round that was to begin lacks
        self._behind = np.zeros((2, 0), np.int64)  # in the round that runs: who is put off, and behind whom
        self._left = np.zeros(0, np.int64)  # and who is left out, as the round isn't so wide

    def handle(self, event: Event) -> list[Effect]:
        match event:
            case Begin():
                self._waiting = True
                return self._begin()
            case Heard(number, candidates):
                order = merged(number, candidates)
                self._memory.keep_plan(number, order)
                return [Judge(number, order), *self._begin()]
            case Judged(number, by):
                self._verdicts[number] = by
                return self._begin()
            case Moved():
                self._moved(event)
                return []

    def known(self) -> list[Effect]:
        """After a recovery: the plans that are remembered, to be judged once more."""
        return [Judge(number, plan) for number, plan in self._memory.planned()]

    def check(self) -> None:
        """Between rounds, the next ones are planned, and the planner knows of them."""
        first, end = self._memory.at.tolist()
        assert first <= end <= first + self._depth
        self._planner.check()

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
        picks = self._settle(number)
        return [Run(number, picks, self._behind[0], self._draw(planned) if self._depth else None)]

    def _draw(self, number: int) -> Tell:
        return Tell(number, self._planner.propose(number, self._count))

    def _settle(self, number: int) -> Index:
        """The round's picks."""
        candidates, by = self._memory.plan(number), self._verdicts.pop(number)
        kept = by == np.arange(len(by))
        self._behind = np.stack([candidates, candidates[by]])[:, ~kept]
        picks, self._left = np.split(candidates[kept], [self._width.now])
        return picks

    def _moved(self, event: Moved) -> None:
        """Candidates may be drawn again. What was put off may have to move as far as what it depends on."""
        self._planner.land(event.picks, event.moved)
        self._planner.back(self._left, np.zeros(len(self._left)))
        put_off, behind = self._behind
        self._planner.back(put_off, _moved(behind, event))
        if event.objective is not None:
            self._width.saw(event.objective)
        self._memory.at[ROUND] += 1


def _moved(numbers: Index, event: Moved) -> Numbers:
    """How much each of these has moved, 0 if it wasn't picked."""
    order = np.argsort(event.picks)
    at = np.searchsorted(event.picks, numbers, sorter=order)
    picks, moved = (np.append(array[order], end) for array, end in ((event.picks, -1), (event.moved, 0.0)))
    return np.where(picks[at] == numbers, moved[at], 0.0)
