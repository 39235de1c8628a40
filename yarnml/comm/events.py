"""Events: all that a coordinator is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from yarnml.comm.seat import Seat


@dataclass(frozen=True)
class Joined:
    """A process has started and asks for its seat."""

    peer: str
    seat: Seat
    address: str  # where it listens; empty if it doesn't
    name: str  # how errors name it: "host h, pid 123"
    host: str = ""  # as the cluster calls it, where that matters
    plan: str = ""  # a line for each setting and table, as this process understands the job
    generation: int = 0  # that it knows of


@dataclass(frozen=True, eq=False)
class HandedIn:
    """A worker's part of its `sequence`-th gather."""

    peer: str
    sequence: int
    part: np.ndarray[Any, Any]
    clock: int = 0  # the worker's


@dataclass(frozen=True)
class Claiming:
    """A worker has read what it claimed before, `sequence` times, and asks for another split of the data."""

    peer: str
    sequence: int
    own: bool = False  # it has no room for others' splits


@dataclass(frozen=True)
class Waiting:
    """A worker, in its `clock`, waits for what servers send once every worker has come to clock `until`."""

    peer: str
    what: str  # empty: it waits no more
    clock: int
    until: int


@dataclass(frozen=True)
class Reported:
    """A worker's progress numbers, and its clock."""

    peer: str
    numbers: dict[str, float]
    clock: int = 0


@dataclass(frozen=True)
class Keeping:
    """A worker has state of its own, that no other process can go on with."""

    peer: str


@dataclass(frozen=True)
class Retreating:
    """A worker can't go on in the place of its predecessor."""

    peer: str
    reason: str


@dataclass(frozen=True)
class Copied:
    """A process has written its part of the checkpoint at `clock`, or says why there is none."""

    peer: str
    clock: int
    error: str = ""


@dataclass(frozen=True)
class Committed:
    """The checkpoint at `clock` stands whole at `url`, or an error says why it doesn't."""

    clock: int
    url: str
    error: str = ""


@dataclass(frozen=True)
class Outdated:
    """A process still speaks in a generation that is over."""

    peer: str


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
class Spoilt:
    """The checkpoint that the run has just gone back to can't be read any more, and why."""

    url: str
    reason: str


Cause = Literal["died", "taken", "hopeless"]  # taken: by its host's or the cluster's doing; hopeless: it would again


@dataclass(frozen=True)
class Exited:
    """Whoever started a process saw it end, or not go on."""

    seat: Seat
    how: str  # "(pid 77) was killed by SIGKILL"
    who: str = ""  # stands in its name, where another process may have its seat by now
    cause: Cause = "died"


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
    """The run is to end, by somebody's wish: with a last checkpoint, unless it was wished for more than once."""

    state: Literal["killed", "interrupted", "deadline"]
    reason: str
    at_once: bool = False  # without a last checkpoint

    def told(self, grace: float) -> str:
        """What a user who waits for the end reads."""
        if self.at_once or not grace:
            return f"{self.reason}: it ends now"
        return (
            f"{self.reason}: it ends at its next clock with a checkpoint, if it can, within {grace:g} s; "
            "who asks again has it end at once"
        )


Said = Joined | HandedIn | Claiming | Waiting | Reported | Keeping | Retreating | Copied | Finished | Failed | Outdated
Seen = Exited | Unreachable | Reachable | Committed | Spoilt | Tick | Stop
Event = Said | Seen
