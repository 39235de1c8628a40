"""Events and effects: all that a coordinator is told, and all that it wants done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.wire.message import Message


@dataclass(frozen=True)
class Joined:
    """A process has started and asks for its seat."""

    peer: str
    seat: Seat
    address: str  # where it listens; empty if it doesn't
    name: str  # how errors name it: "host h, pid 123"
    host: str = ""  # as the cluster calls it, where that matters
    plan: str = ""  # a line for each setting and table, as this process understands the job


@dataclass(frozen=True, eq=False)
class HandedIn:
    """A worker's part of its `sequence`-th gather."""

    peer: str
    sequence: int
    part: np.ndarray[Any, Any]
    clock: int = 0  # the worker's


@dataclass(frozen=True)
class Waiting:
    """A worker, in its `clock`, waits for what servers send once every worker has come to clock `until`."""

    peer: str
    what: str  # empty: it waits no more
    clock: int
    until: int


@dataclass(frozen=True)
class Reported:
    """A worker's progress numbers."""

    peer: str
    numbers: dict[str, float]


@dataclass(frozen=True)
class Finished:
    """A process has done all it had to do."""

    peer: str
    result: dict[str, Any] | None


@dataclass(frozen=True)
class Failed:
    """A process says that it gives up, and why."""

    peer: str
    error: str


@dataclass(frozen=True)
class Exited:
    """Whoever started a process saw it end, or not go on."""

    seat: Seat
    how: str  # "(pid 77) was killed by SIGKILL"


@dataclass(frozen=True)
class Unreachable:
    """The transport has no live connection to a peer. Says nothing about whether its threads make progress."""

    peer: str


@dataclass(frozen=True)
class Reachable:
    """The transport has a live connection again."""

    peer: str


@dataclass(frozen=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True)
class Stop:
    """The run is to end now, by somebody's wish."""

    state: Literal["killed", "interrupted", "deadline"]
    reason: str


Event = Joined | HandedIn | Waiting | Reported | Finished | Failed | Exited | Unreachable | Reachable | Tick | Stop


@dataclass(frozen=True, eq=False)
class Send:
    """A message to one peer."""

    peer: str
    message: Message


@dataclass(frozen=True)
class Report:
    """Numbers of one process, for whoever shows and keeps them: a worker's progress, anybody's memory."""

    worker: int
    numbers: dict[str, float]
    role: str = "worker"  # a server's index stands in `worker`


@dataclass(frozen=True)
class End:
    """The run is over; comes once."""

    outcome: Outcome


Effect = Send | Report | End
