"""An assembly: the workers of a generation: gathers, waits that must not be for each other, splits they take (pure)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import final

from yarnml.comm.claims import Claims
from yarnml.comm.company import FOREVER
from yarnml.comm.events import HandedIn, Waiting
from yarnml.comm.meeting import Array, Meeting
from yarnml.comm.seat import Seat, spoken
from yarnml.comm.waits import Waits

EQUALLY = "All workers must call sum and gather equally often, and end equally many clocks or return"


class Fault(Exception):
    """What ends a run, and on whose account."""

    def __init__(self, message: str, culprit: Seat | None = None) -> None:
        super().__init__(message)
        self.message, self.culprit = message, culprit


@final
class Assembly:
    """Knows workers by their index. Raises Fault where what they do can't go together."""

    def __init__(self, workers: int, clock: int = 0, splits: Sequence[int] = ()) -> None:
        """`clock`: at which all begin; `splits`: of the data, how many are each worker's, if others may take them."""
        self.claims = Claims(splits or (0,) * workers)
        self._meeting = Meeting(workers)
        self._waits = Waits(workers, clock)
        self._opened = (-1, 0, False)  # the newest gather, the first worker in it, and whether its work has returned

    def hand_in(self, worker: int, event: HandedIn, finished: Collection[int]) -> tuple[int, ...]:
        """Take a part; the workers to be told `parts` of its gather now."""
        self._refuse_mixed(worker, event)
        self._waits.at(worker, event.clock)
        self._waits.says(worker, "", 0, 0.0)
        told = self._meeting.hand_in(worker, event.sequence, event.part)
        if not told:
            self.refuse_deserted(finished)
        return told

    def parts(self, sequence: int) -> list[Array]:
        return self._meeting.parts(sequence)

    def wait(self, worker: int, event: Waiting, now: float) -> None:
        self._waits.at(worker, event.clock)
        self._waits.says(worker, event.what, event.until, now)

    def at(self, worker: int, clock: int) -> None:
        """The worker says its clock."""
        self._waits.at(worker, clock)

    @property
    def clocks(self) -> list[int]:
        """Of each worker, as it said it last."""
        return self._waits.clocks

    def rounds(self, worker: int) -> int:
        """How many gathers the worker has begun."""
        return self._meeting.reached(worker) + 1

    def waited_for(self) -> list[Seat]:
        """Whose parts a gather lacks."""
        return [Seat("worker", worker) for worker in self._meeting.waited_for()]

    def refuse_deserted(self, finished: Collection[int]) -> None:
        """A worker that waits for one that has finished would wait for ever."""
        gone = [seat for seat in self.waited_for() if seat.index in finished]
        if gone:
            raise Fault(f"{spoken(gone)} finished while others wait in a gather or sum. {EQUALLY}", gone[0])

    def refuse_knot(self, silence: float, now: float) -> None:
        """Workers that have been waiting for each other for so long always would."""
        seconds, knot = self._waits.knotted(self._meeting, now)
        if knot and seconds >= silence:
            raise Fault(f"the workers wait for each other: {knot}. {EQUALLY}")

    def check(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        self._meeting.check()
        self.claims.check()

    def _refuse_mixed(self, worker: int, event: HandedIn) -> None:
        """A worker whose work has returned meets none that is still at work: each would get a stranger's numbers."""
        returned = event.clock >= FOREVER
        if event.sequence > self._opened[0]:
            self._opened = (event.sequence, worker, returned)
        sequence, other, did = self._opened
        if event.sequence == sequence and returned != did:
            gone, busy = (worker, other) if returned else (other, worker)
            text = f"the work of worker {gone} has returned, but worker {busy} still calls sum or gather. {EQUALLY}"
            raise Fault(text, Seat("worker", busy))
