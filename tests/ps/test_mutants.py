"""Broken shards: the judge of histories must catch each, or it proves nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.ps.world import World
from yarnml.ps import TableSpec
from yarnml.ps.sender import Numbered
from yarnml.ps.server.shard import Send, Shard
from yarnml.wire.frames import WireError
from yarnml.wire.message import EndClock, Get, Hello, Message


class Impatient(Shard):  # type: ignore[misc]  # breaking what is final is the point
    """Takes reads for fresh one clock too early, and says so."""

    def _is_fresh(self, get: Get) -> bool:
        self._slowest += 1
        fresh = super()._is_fresh(get)
        self._slowest -= 1
        return fresh

    def _rows(self, *what: Any, **how: Any) -> Send:
        self._slowest += 1
        send = super()._rows(*what, **how)
        self._slowest -= 1
        return send


class Doubling(Shard):  # type: ignore[misc]
    """Applies twice now and then."""

    def _end_clock(self, message: EndClock) -> None:
        super()._end_clock(message)
        self.parts.add(message.sender, message.clock, [p for p in message.patches if len(p.values) == 3])


class Forgetful(Shard):  # type: ignore[misc]
    """Loses the parked reads when a clock ends."""

    def _end_clock(self, message: EndClock) -> None:
        self._waiting.clear()
        super()._end_clock(message)


class Deaf(Shard):  # type: ignore[misc]
    """Takes a duplicate for a new message."""

    def _take(self, message: Numbered) -> list[Send]:
        self._peers[message.sender].expected = message.seq
        return super()._take(message)


class Hasty(Shard):  # type: ignore[misc]
    """Applies at staleness 0 on arrival."""

    def _end_clock(self, message: EndClock) -> None:
        self.parts.add(message.sender, message.clock, message.patches)
        super()._end_clock(replace(message, patches=()))


class Late(Shard):  # type: ignore[misc]
    """Lets the clock of a checkpoint into it."""

    def _end_clock(self, message: EndClock) -> None:
        mark = self.parts._mark
        self.parts._mark = None if mark is None else mark + 1
        super()._end_clock(message)
        self.parts._mark = mark


class Early(Shard):  # type: ignore[misc]
    """Lets a checkpoint be copied before all that belongs into it has come."""

    def _advance(self) -> list[Send]:
        sends = super()._advance()
        self.parts._slowest = self._slowest + 1
        return sends


class Losing(Shard):  # type: ignore[misc]
    """Forgets with a dead worker the last clock that it had ended."""

    def _replace(self, hello: Hello) -> Send:
        for parked in self.parts._parked.values():
            parked.pop(hello.sender, None)
        return super()._replace(hello)


class Repeating(Shard):  # type: ignore[misc]
    """Has the next process do the dead worker's last clock again."""

    def _replace(self, hello: Hello) -> Send:
        peer = self._peers[hello.sender]
        if hello.seq > peer.incarnation and peer.expected > 1:
            peer.clock -= 1
            peer.expected -= 1
        return super()._replace(hello)


class Credulous(Shard):  # type: ignore[misc]
    """Listens to an older generation."""

    def knows(self, peer: str, message: Message) -> bool:
        return isinstance(message, EndClock) or super().knows(peer, message)

    def handle(self, message: Message) -> list[Send]:
        return super().handle(replace(message, generation=self._generation))


class Gullible(Shard):  # type: ignore[misc]
    """Listens to a worker that has been replaced."""

    def knows(self, peer: str, message: Message) -> bool:
        return super().knows(peer, message) or (
            isinstance(message, EndClock) and message.generation == self._generation
        )


PLAIN = [
    TableSpec("exact", (7, 3), staleness=0, push="lazy"),
    TableSpec("loose", (7, 3), staleness=1, push="lazy"),
    TableSpec("eager", (7, 3), staleness=2),
]
FREE = TableSpec("free", (7, 3), staleness=None)


def play(seed: int, *, losses: bool = False, faults: bool = False, shard: type = Shard) -> World:
    specs = PLAIN if faults else [*PLAIN, FREE]
    world = World(specs, workers=3, servers=2, seed=seed, losses=losses, faults=faults, shard=shard)
    for _ in range(400):
        world.step(6)
    world.finish(6)
    return world


def play_many(shard: type, *, faults: bool) -> None:
    for seed in range(100):
        play(seed, losses=seed % 2 == 1, faults=faults, shard=shard)


@pytest.mark.parametrize("broken", [Impatient, Doubling, Forgetful, Deaf, Hasty])
def test_the_judge_catches(broken: type) -> None:
    with pytest.raises((AssertionError, WireError)):
        play_many(broken, faults=False)


@pytest.mark.parametrize("broken", [Late, Early, Losing, Repeating, Credulous, Gullible])
def test_the_judge_catches_when_processes_die(broken: type) -> None:
    with pytest.raises((AssertionError, WireError)):
        play_many(broken, faults=True)


@pytest.mark.parametrize("losses", [False, True])
@pytest.mark.parametrize("faults", [False, True])
def test_the_judge_lets_a_right_one_pass(losses: bool, faults: bool) -> None:
    assert play(1, losses=losses, faults=faults).answered > 10
