"""Planner: one worker's own part of the parameters: how much each moved last, and which are on their way."""

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
EASE = 0.1
Flags = NDArray[np.bool_]
NUMBER, MOVED, PUT_OFF = range(3)  # rows of candidates


@final
class Planner:
    """Planner w of W has the parameters w, w + W, w + 2 W, ...: neighbours, often alike, go to different ones."""

    def __init__(self, source: Drawn, index: int, planners: int, seed: int, memory: Memory) -> None:
        self._uniform, self._index, self._planners, self._seed = source.uniform, index, planners, seed
        self._moved, self._flying, self._put_off = memory.moved, memory.flying, memory.put_off
        self._urn = empty(len(self._moved))
        self._put(np.flatnonzero(~self._flying))

    def propose(self, number: int, count: int) -> Numbers:
        """Candidates (3, <= count) of round `number`: NUMBER, MOVED, PUT_OFF of each. They fly from now on."""
        key = [self._seed % 2**64, PURPOSE]
        rng = np.random.Generator(np.random.Philox(key=key, counter=[0, 0, self._index, number]))
        drawn = draw(self._urn, rng.random((2, count)), self._uniform)
        self._flying[drawn] = True
        return np.stack([drawn * float(self._planners) + self._index, self._moved[drawn], self._put_off[drawn]])

    def back(self, numbers: Index, moved: Numbers) -> None:
        """These candidates, of whatever planner, weren't picked: they may be drawn again, as if they moved so much."""
        own, mine = self._own(numbers)
        self._put_off[own] += 1
        self._moved[own] = np.maximum(self._moved[own], _size(moved[mine]))
        self._put(own)

    def land(self, numbers: Index, moved: Numbers) -> None:
        """These were updated and moved by so much."""
        own, mine = self._own(numbers)
        self._put_off[own] = 0
        self._moved[own] = _size(moved[mine])
        self._put(own)

    def check(self, plans: list[Index]) -> None:
        """These fly, each once, and no others; the others are in the urn."""
        flying = np.zeros(len(self._flying), np.int64)
        for numbers in plans:
            np.add.at(flying, self._own(numbers)[0], 1)
        assert np.array_equal(flying, self._flying)
        assert np.array_equal(self._urn[COUNT, self._urn.shape[1] // 2 :][: len(flying)], 1.0 - flying)

    def _put(self, own: Index) -> None:
        self._flying[own] = False
        moved = self._moved[own]
        put(self._urn, own, moved, np.isinf(moved) & (self._uniform < 1))

    def _own(self, numbers: Index) -> tuple[Index, Flags]:
        mine = numbers % self._planners == self._index
        return numbers[mine] // self._planners, mine


def _size(moved: Numbers) -> Numbers:
    size: Numbers = np.minimum(np.nan_to_num(np.abs(moved), nan=MOST), MOST)
    return size


def merged(candidates: list[Numbers]) -> Index:
    """All planners' candidates in the order in which they are looked at: by (|change| + eta) (1 + times put off).

    So nothing starves, but what hardly moves waits long for its turn. eta is a tenth of their mean change; what has
    never been updated is first; ties go by number.
    """
    every = np.concatenate(candidates, axis=1)
    known = every[MOVED][np.isfinite(every[MOVED])]
    eta = EASE * known.mean() if known.any() else 1.0
    order = np.lexsort((every[NUMBER], -(every[MOVED] + eta) * (1 + every[PUT_OFF])))
    numbers: Index = every[NUMBER, order].astype(np.int64)
    return numbers
