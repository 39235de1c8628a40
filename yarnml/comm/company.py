"""A process's company: those it runs with, and what it does together with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np

from yarnml.comm.claims import Split
from yarnml.comm.plain import plain_numbers

FOREVER = 1 << 62  # the clock of a worker whose work has returned
LATE, OVER = "late", "over"  # why there is no part of a checkpoint: its clock is past; the work has returned before it
ANEW = "work doesn't look at me.clock_now, so a run can't go on in its middle"  # and this is why there never will be


class Company(ABC):
    """What one worker may ask of all workers together. Every method is a barrier unless it says otherwise."""

    clock_now = 0
    """The worker's clock, as its tables set it: who waits for whom is known by it."""

    mark: tuple[int, str] | None = None
    """The checkpoint to take part in next: once so many clocks have ended, a copy goes to the directory at that URL."""

    ending = False
    """The run ends with the checkpoint of `mark`: what is done after it is lost."""

    _knows_no_middle = False

    @abstractmethod
    def gather(self, array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        """Every worker's array, in worker order, the same list for all. Shapes may differ, dtypes too."""

    @abstractmethod
    def check(self) -> None:
        """Raise `Stopped` if the run is to end, `PeerLost` if the coordinator is silent. Not a barrier, never waits."""

    @abstractmethod
    def report(self, numbers: dict[str, float]) -> None:
        """Send progress numbers to whoever shows and keeps them. Not a barrier, may be thinned out.

        Raises UsageError naming what is no number.
        """

    def waits(self, what: str, until: int = 0) -> None:  # noqa: B027 (who is alone waits for nobody)
        """This worker has long been waiting for `what`, which comes once every worker has come to clock `until`.

        "": it waits no more. Not a barrier.
        """

    def claim(self, *, own: bool = False) -> Split | None:  # noqa: ARG002 (who is alone has nobody's to take)
        """The split of the data to read next, None if none is left; only one of this worker's `own`. Not a barrier."""
        return None

    def marked(self, clock: int, error: str = "") -> None:  # noqa: B027 (who is alone takes its own checkpoints)
        """This process's part of the checkpoint at `clock` is written, or why it isn't. From any thread, no barrier."""

    def keeps(self) -> None:  # noqa: B027 (nobody could take its place)
        """This worker has state of its own from now on, so that no other process can go on in its place.

        Not a barrier. Raises RolledBack where it has itself taken another's place.
        """

    def anew(self) -> None:
        """This worker's work knows its beginning alone: no process can go on in its place, nor from a checkpoint.

        Not a barrier. Raises as `keeps`.
        """
        self.keeps()
        self._knows_no_middle = True
        self._decline()

    def _decline(self) -> None:
        if self.mark is not None and self._knows_no_middle:
            mark, self.mark = self.mark, None
            self.marked(mark[0], ANEW)

    def sum(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The sum over all workers, added in worker order, so that it is bit-equal for all and in every run."""
        total, *others = self.gather(array)
        total = total.copy()
        for other in others:
            total += other
        return total


@final
class Alone(Company):
    """The company of the only worker of a run: nobody to wait for."""

    def __init__(
        self,
        on_report: Callable[[dict[str, float]], None],
        stopping: Callable[[], bool | None],
        marks: Callable[[int], tuple[int, str] | None] = lambda _: None,
        marked: Callable[[int, str], None] = lambda _clock, _error: None,
    ) -> None:
        """`on_report` takes progress numbers.

        `stopping` raises when the run is to end, and tells whether it ends with the next checkpoint. `marks` is asked,
        by the clock that runs, for the checkpoint to take next; `marked` is told what became of it.
        """
        self._on_report = on_report
        self._stopping = stopping
        self._marks, self._marked = marks, marked

    def gather(self, array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        return [array]

    def check(self) -> None:
        self.ending = bool(self._stopping())
        self.mark = self._marks(self.clock_now)
        self._decline()

    def marked(self, clock: int, error: str = "") -> None:
        self._marked(clock, error)

    def report(self, numbers: dict[str, float]) -> None:
        self._on_report(plain_numbers(numbers))
