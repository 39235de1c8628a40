"""Waits: who waits for whose clock or gather, and whether that can ever end (pure).

Workers that wait form a knot if each waits for one of them: for its part of a gather, or for its clock. Nothing from
outside can undo a knot, so it is no false alarm, however long anybody computes and however slow a server is: who
computes doesn't wait, and who waits for a server that is merely behind waits for nobody's clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from yarnml.comm.meeting import Meeting
from yarnml.comm.seat import Seat, spoken

STALE = 4.0  # seconds after which a wait that isn't said again has ended: the word of it was lost
SPOKEN = 4  # workers of a knot whose waits are spelt out


@dataclass(frozen=True)
class _Wait:
    """A worker's, for what servers send."""

    what: str
    until: int
    heard: float


@final
class Waits:
    """The waits and clocks of a run's workers, as they say them."""

    def __init__(self, workers: int, clock: int = 0) -> None:
        self.clocks = [clock] * workers
        self._waits: dict[int, _Wait] = {}
        self._knot: tuple[int, frozenset[tuple[int, str]]] = (-1, frozenset())
        self._since = 0.0

    def at(self, worker: int, clock: int) -> None:
        """The worker's clock has come so far."""
        self.clocks[worker] = clock

    def says(self, worker: int, what: str, until: int, now: float) -> None:
        """The worker waits for `what`, which comes once all are at clock `until`; for nothing, if that is empty."""
        self._waits.pop(worker, None)
        if what:
            self._waits[worker] = _Wait(what, until, now)

    def knotted(self, meeting: Meeting, now: float) -> tuple[float, str]:
        """Seconds for which the same workers have been waiting for each other, and the knot in words."""
        self._waits = {w: wait for w, wait in self._waits.items() if now - wait.heard < STALE}
        missing = set(meeting.waited_for())
        lacking = {
            w: {v for v, c in enumerate(self.clocks) if c < wait.until and v != w} for w, wait in self._waits.items()
        }
        words = {w: wait.what for w, wait in self._waits.items()}
        for worker in meeting.here() if missing else ():
            lacking[worker] = missing
            words[worker] = "the others in a sum or gather"
        stuck = knot(lacking)
        seen = (meeting.latest, frozenset((w, words[w]) for w in stuck))
        if seen != self._knot:
            self._knot, self._since = seen, now
        return (now - self._since if stuck else 0.0), _told(stuck, words, lacking)


def knot(lacking: Mapping[int, set[int]]) -> list[int]:
    """The most workers each of whom waits for one of them; `lacking`: for whom each that waits does."""
    stuck = set(lacking)
    while loose := {worker for worker in stuck if not lacking[worker] & stuck}:
        stuck -= loose
    return sorted(stuck)


def _told(stuck: list[int], words: Mapping[int, str], lacking: Mapping[int, set[int]]) -> str:
    each = [
        f"worker {w} waits for {words[w]}, and so for {spoken(Seat('worker', v) for v in lacking[w] & set(stuck))}"
        for w in stuck[:SPOKEN]
    ]
    more = [f"{len(stuck) - SPOKEN} more wait too"] if len(stuck) > SPOKEN else []
    return "; ".join(each + more)
