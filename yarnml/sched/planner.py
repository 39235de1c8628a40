"""Planner: one worker's own part of the parameters, in an urn: it draws them by how much each moved last."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from yarnml.kernels.urn import COUNT, draw, empty, put
from yarnml.sched.memory import Memory
from yarnml.sched.picks import Index, Numbers
from yarnml.sched.policy import Drawn

PURPOSE = 0x5C4ED  # of these random numbers
MOST = 1e100  # that a parameter may have moved: sums of it are finite
NUMBER, PUT_OFF = range(2)  # rows of candidates


@final
class Planner:
    """Planner w of W has the parameters w, w + W, w + 2 W, ...: neighbours, often alike, go to different ones.

    Its urn holds those of them that no planned round has for a candidate. What it remembers is of all parameters.
    """

    def __init__(self, source: Drawn, index: int, planners: int, seed: int, memory: Memory) -> None:
        self._uniform, self._index, self._planners, self._seed = source.uniform, index, planners, seed
        self._memory = memory
        self._urn = empty(len(range(index, len(memory.moved), planners)))
        self._put(np.flatnonzero(self._free()))

    def propose(self, number: int, count: int) -> Index:
        """Candidates (2, <= count) of round `number`, as they were drawn: NUMBER, PUT_OFF of each."""
        key = [self._seed % 2**64, PURPOSE]
        rng = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, self._index, number]))
        drawn = draw(self._urn, rng.random((2, count)), self._uniform) * self._planners + self._index
        return np.stack([drawn, self._memory.put_off[drawn]])

    def back(self, numbers: Index, moved: Numbers) -> None:
        """These candidates, of whatever planner, weren't picked: they may be drawn again, as if they moved so much."""
        memory = self._memory
        memory.put_off[numbers] += 1
        memory.moved[numbers] = np.maximum(memory.moved[numbers], _size(moved))
        self._put(numbers)

    def land(self, numbers: Index, moved: Numbers) -> None:
        """These were updated and moved by so much."""
        self._memory.put_off[numbers] = 0
        self._memory.moved[numbers] = _size(moved)
        self._put(numbers)

    def check(self) -> None:
        """In the urn is who is planned for no round, and nobody is planned twice."""
        planned = self._planned()
        assert len(np.unique(planned)) == len(planned)
        free = self._free()[self._index :: self._planners]
        assert np.array_equal(self._urn[COUNT, self._urn.shape[1] // 2 :][: len(free)], free)

    def _put(self, numbers: Index) -> None:
        """Its own of these are in the urn."""
        own = numbers[numbers % self._planners == self._index]
        moved = self._memory.moved[own]
        put(self._urn, own // self._planners, moved, np.isinf(moved) & (self._uniform < 1))

    def _planned(self) -> Index:
        return np.concatenate([np.zeros(0, np.int64), *(plan for _, plan in self._memory.planned())])

    def _free(self) -> NDArray[np.bool_]:
        """(n,) whether a parameter is a candidate of no round."""
        free = np.ones(len(self._memory.moved), np.bool_)
        free[self._planned()] = False
        return free


def _size(moved: Numbers) -> Numbers:
    size: Numbers = np.minimum(np.nan_to_num(np.abs(moved), nan=MOST), MOST)
    return size


def merged(number: int, candidates: list[Index]) -> Index:
    """All planners' candidates of a round in the order in which they are looked at: by place / (1 + times put off).

    The place is that in its planner's draw: whom there is room for then is as much by chance as who is drawn, and the
    floor of the chances holds. Whoever is put off again and again comes to be first. Of equal ones planners take turns.
    """
    drawn = [each.shape[1] for each in candidates]
    place = np.concatenate([np.arange(1, n + 1) for n in drawn])
    turn = (np.repeat(np.arange(len(drawn)), drawn) + number) % len(drawn)
    every = np.concatenate(candidates, axis=1)
    order = np.lexsort((turn, place / (1 + every[PUT_OFF])))
    numbers: Index = every[NUMBER, order]
    return numbers
