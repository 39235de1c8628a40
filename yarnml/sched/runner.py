"""Runner: one worker's part in a round: it updates its picks, hears of all others', and applies what these make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, final

import numpy as np
from numpy.typing import NDArray

from yarnml.sched.algorithm import ModelParallel
from yarnml.sched.events import Moved, Tell
from yarnml.sched.exchange import packed, unpacked
from yarnml.sched.picks import Index, Numbers, Picks
from yarnml.sched.policy import Policy


class Me(Protocol):
    """What rounds need of a worker."""

    index: int
    workers: int
    seed: int
    stop: bool

    @property
    def clock_now(self) -> int: ...
    def clock(self) -> None: ...
    def gather(self, x: Any) -> list[NDArray[Any]]: ...
    def state(self, name: str, init: Callable[[], NDArray[Any]], by: Literal["all"]) -> NDArray[Any]: ...


@final
@dataclass(frozen=True, eq=False)
class Round:
    """One that has been."""

    number: int  # from 0
    picks: Index  # (k,) of all workers
    moved: Numbers  # (k,) how much each did
    objective: float | None
    put_off: Index  # candidates that depend on a pick, and will come again


@final
@dataclass(frozen=True, eq=False)
class Runner:
    """Who runs the rounds of what."""

    me: Me
    algorithm: ModelParallel
    policy: Policy
    objective: Callable[[], float] | None

    def goes_on(self, until: int | None) -> bool:
        return (until is None or self.me.clock_now < until) and not self.me.stop

    def run(self, picks: Picks, tell: Tell | None) -> tuple[Moved, list[Index]]:
        """A round: how much its picks moved, and what all planners told."""
        me, algorithm = self.me, self.algorithm
        part = np.asarray(algorithm.update(picks.of(me.index)))
        if tell is None:
            parts, told = me.gather(part), []
        elif me.workers == 1:
            parts, told = [part], [tell.candidates]
        else:
            messages = [unpacked(message) for message in me.gather(packed(part, tell.candidates))]
            parts, told = [message[0] for message in messages], [message[1] for message in messages]
        moved = np.asarray(algorithm.apply(picks.numbers, algorithm.aggregate(parts)), np.float64)
        value = None if self.objective is None else float(self.objective())
        return Moved(picks.numbers, moved, value), told
