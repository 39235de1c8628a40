"""Broken shards: the judge of histories must catch each, or it proves nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.ps.world import World
from yarnml.ps import TableSpec
from yarnml.ps.sender import Numbered
from yarnml.ps.shard import Send, Shard
from yarnml.wire.frames import WireError
from yarnml.wire.message import EndClock, Get, Increments, Message, Patch


class Impatient(Shard):  # type: ignore[misc]  # breaking what is final is the point
    """Answers one clock too early."""

    def handle(self, message: Message) -> list[Send]:
        if isinstance(message, Get) and message.read >= 0:
            fields = {name: getattr(message, name) for name in message.__dataclass_fields__}
            message = Get(**fields | {"read": message.read - 1})
        return super().handle(message)


class Doubling(Shard):  # type: ignore[misc]
    """Applies twice now and then."""

    def _apply_now(self, patches: Sequence[Patch], of: EndClock | Increments) -> None:
        super()._apply_now([*patches, *(p for p in patches if len(p.values) == 3)], of)


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
        self._apply_now(message.patches, message)
        fields = {name: getattr(message, name) for name in message.__dataclass_fields__}
        super()._end_clock(EndClock(**fields | {"patches": ()}))


def specs() -> Sequence[TableSpec]:
    return [
        TableSpec("exact", (7, 3), staleness=0, push="lazy"),
        TableSpec("loose", (7, 3), staleness=1, push="lazy"),
        TableSpec("free", (7, 3), staleness=None),
    ]


def play(seed: int, *, losses: bool, shard: type = Shard) -> World:
    world = World(list(specs()), workers=3, servers=2, seed=seed, losses=losses, shard=shard)
    for _ in range(400):
        world.step(6)
    world.finish(6)
    return world


def for_many_seeds(shard: type) -> None:
    for seed in range(40):
        play(seed, losses=False, shard=shard)
        play(seed, losses=True, shard=shard)


@pytest.mark.parametrize("broken", [Impatient, Doubling, Forgetful, Deaf, Hasty])
def test_the_judge_catches(broken: type) -> None:
    with pytest.raises((AssertionError, WireError)):
        for_many_seeds(broken)


@pytest.mark.parametrize("losses", [False, True])
def test_the_judge_lets_a_right_one_pass(losses: bool) -> None:
    assert play(1, losses=losses).answered > 10
