"""Marks: the clocks at which checkpoints are taken, and how far the one that is being taken has come (pure).

Nobody stops for a checkpoint: a clock that everybody has yet to reach is named, and each copies what it holds when it
gets there. The clock is guessed from the pace of the fastest worker; whoever is past it says so, and a later is named.
A run that is to end has a last one, as soon as may be.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import count
from typing import final

from yarnml.comm.company import ANEW, LATE, OVER
from yarnml.comm.effects import Commit, Discard, Effect, Say
from yarnml.comm.seat import Seat
from yarnml.wire.message import Mark

AHEAD = 2.0  # seconds from naming a clock to reaching it
FEWEST = 2  # clocks between these
SOON = 0.5  # seconds from naming the last one to reaching it: clocks are reported, and marks seen, a little late
WINDOW = 5.0  # seconds over which the pace is taken


@final
class Marks:
    """One mark at a time. `url`: of the directory where checkpoints are; `every`: seconds between two, 0 for none."""

    def __init__(self, url: str, every: float) -> None:
        self._url, self._every = url, every
        self._tries = 0
        self._named: set[int] = set()  # clocks, in this generation: a copy is told by its clock
        self._widen = 1
        self._pending: Mark | None = None
        self._copied: set[Seat] = set()
        self._over = True
        self.never = not every  # there will be no more
        self._last: int | None = None  # a run that is to end ends with this one; -1: it has yet to be named
        self.kept = False  # it stands
        self._due = math.inf
        self._pace: deque[tuple[float, int]] = deque()

    def begin(self, now: float) -> None:
        """A generation begins."""
        self._over = self.never
        self._due = now + self._every
        self._pace.clear()
        self._named.clear()

    def tick(self, newest: int, generation: int, now: float) -> Mark | None:
        """The newest clock of any worker is this; the mark to be sent to all, if it is time for one."""
        if self._over:
            return None
        self._pace.append((now, newest))
        while len(self._pace) > 2 and self._pace[1][0] <= now - WINDOW:
            self._pace.popleft()
        if self._pending is not None or now < self._due:
            return None
        self._tries += 1
        clock = next(c for c in count(newest + self._lead()) if c not in self._named)
        self._named.add(clock)
        if self.ending:
            self._last = clock
        url = f"{self._url}/.{clock}-{generation}-{self._tries}"
        self._pending, self._copied = Mark(generation=generation, clock=clock, url=url), set()
        return self._pending

    def copied(self, seat: Seat, clock: int, error: str, parts: int, now: float) -> list[Effect]:
        """One of `parts` processes has written its part of the checkpoint, or can't."""
        mark = self._pending
        if mark is None or mark.clock != clock:
            return []
        if error:
            self.never |= error == ANEW or (self.ending and error not in (LATE, OVER))
            self._over |= error in (OVER, ANEW)
            self._widen = 2 * self._widen if error == LATE else 1
            self._due = now if error == LATE else now + self._every
            return [*self.abandon(), *_said(error, f"no checkpoint this time: {seat}: {error}")]
        self._copied.add(seat)
        if len(self._copied) < parts:
            return []
        self._pending, self._widen, self._due = None, 1, now + self._every
        self._over |= self.ending
        return [Commit(mark.generation, mark.clock, mark.url)]

    @property
    def ending(self) -> bool:
        """Whether there will be only one more."""
        return self._last is not None

    def end(self, newest: int, now: float) -> list[Effect]:
        """The run is to end: a last one is due now, unless the one that has been named comes as soon."""
        self._last, self._due, self._widen = -1, now, 1
        if self._pending is not None and self._pending.clock <= newest + self._lead():
            self._last = self._pending.clock
            return []
        return self.abandon()

    def committed(self, clock: int, error: str = "") -> None:
        """The checkpoint at `clock` stands, or doesn't."""
        if clock == self._last:
            self.kept, self.never = not error, True

    def abandon(self) -> list[Effect]:
        """The pending mark won't be met by all."""
        mark, self._pending = self._pending, None
        return [] if mark is None else [Discard(mark.url)]

    def _lead(self) -> int:
        (then, first), (now, last) = (self._pace[0], self._pace[-1]) if self._pace else ((0.0, 0), (0.0, 0))
        pace = (last - first) / (now - then) if now > then else 0.0
        fewest, ahead = (1, SOON) if self.ending else (FEWEST, AHEAD)
        return max(fewest, math.ceil(pace * ahead)) * self._widen


def _said(error: str, otherwise: str) -> list[Effect]:
    """What the user hears of it."""
    if error == ANEW:
        return [Say(f"no checkpoints: {error}; after a death it begins anew")]
    return [] if error in (LATE, OVER) else [Say(otherwise)]
