"""Effects: all that a coordinator wants done."""

from __future__ import annotations

from dataclasses import dataclass

from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.wire.message import Message


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
class Say:
    """A line for the user."""

    text: str


@dataclass(frozen=True)
class Replace:
    """Whoever has this seat is to be ended, if it still runs, and a new process started in its place."""

    seat: Seat


@dataclass(frozen=True)
class Setback:
    """The run has gone back to `clock`, and on as `generation`: what was reported of later clocks is void."""

    generation: int
    clock: int
    reason: str
    checkpoint: str = ""  # its URL; answered by Spoilt, before anything else, if it isn't whole


@dataclass(frozen=True)
class Commit:
    """All parts of the checkpoint at `clock` lie in the directory `url`: give it its name. Answered by Committed."""

    generation: int
    clock: int
    url: str


@dataclass(frozen=True)
class Discard:
    """The directory `url` holds a checkpoint that will never be whole."""

    url: str


@dataclass(frozen=True)
class End:
    """The run is over; comes once."""

    outcome: Outcome


Effect = Send | Report | Say | Replace | Setback | Commit | Discard | End
