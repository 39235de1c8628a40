"""Resuming: who takes a dead worker's place asks the servers where it stood, and goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from yarnml.comm.company import FOREVER
from yarnml.errors import PeerLost
from yarnml.wire.message import Hello, Standing
from yarnml.wire.transport import Channel, Transport

AGAIN = 1.0  # s after which who hasn't answered is asked again
CHECK = 0.1  # s between looks at the company


class Disagree(Exception):
    """The servers haven't taken the same from the dead worker, or it can't be replaced: the run must roll back."""


def resume(
    transport: Transport,
    channels: Sequence[Channel],
    *,
    worker: int,
    incarnation: int,
    generation: int,
    check: Callable[[], None],
    deadline: float | None = None,
) -> tuple[int, tuple[int, ...]]:
    """The clock in which to go on, and the number of the last message that each server has taken: what a `Client` is
    to be given. From now on the servers take nothing from the incarnation before.

    `channels` as `connect` makes them for this incarnation; `check` as that of a company. Raises Disagree, and
    PeerLost if a server hasn't answered after `deadline` seconds.
    """
    hello = Hello(generation=generation, sender=worker, seq=incarnation)
    found: dict[int, Standing] = {}
    start, due = monotonic(), 0.0
    while len(found) < len(channels):
        check()
        if monotonic() >= due:
            due = monotonic() + AGAIN
            for server in _silent(channels, found):
                channels[server].send(hello)
        if deadline is not None and monotonic() - start > deadline:
            late = ", ".join(map(str, _silent(channels, found)))
            raise PeerLost(
                f"server {late} hasn't said for {deadline:g} s how far worker {worker} had come; look at its log"
            )
        if transport.wait([channels[server] for server in _silent(channels, found)], CHECK):
            _hear(channels, found, generation)
    return agreed(worker, found)


def _silent(channels: Sequence[Channel], found: dict[int, Standing]) -> list[int]:
    return [server for server in range(len(channels)) if server not in found]


def _hear(channels: Sequence[Channel], found: dict[int, Standing], generation: int) -> None:
    for server in _silent(channels, found):
        message = channels[server].recv()
        if isinstance(message, Standing) and message.generation == generation:
            found[server] = message


def agreed(worker: int, found: dict[int, Standing]) -> tuple[int, tuple[int, ...]]:
    """What all servers say, by their number; raises Disagree."""
    clocks = {standing.clock for standing in found.values()}
    if len(clocks) > 1:
        raise Disagree(f"worker {worker} had told some servers of clock {max(clocks)} and not all")
    (clock,) = clocks
    if clock == FOREVER:
        raise Disagree(f"worker {worker} had ended its work")
    return clock + 1, tuple(found[server].seq for server in sorted(found))
