"""A bell: each pull is heard once, and who pulls or who sleeps sees the other."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from itertools import product

import pytest

from yarnml.wire.alarm import Alarm, Button
from yarnml.wire.bell import ALARM, ROPES, Bell, Rope
from yarnml.wire.segment import Segment


@pytest.fixture
def bell() -> Iterator[Bell]:
    segment, alarm = Segment.make(0), Alarm()
    assert segment is not None
    yield Bell(segment, alarm)
    alarm.close()
    segment.withdraw()


def rope(bell: Bell, number: int) -> Rope:
    made = Rope.of(bell.segment, number)
    assert made is not None
    return made


def goes_off(bell: Bell) -> bool:
    off = bool(select.select([bell.alarm.number], [], [], 0)[0])
    bell.alarm.stop()
    return off


def test_each_is_heard_once_and_has_its_turn(bell: Bell) -> None:
    assert bell.answer() is None
    ropes = {number: rope(bell, number) for number in (0, 5, ROPES - 1)}
    for each in (*ropes.values(), *ropes.values()):
        each.pull()
    assert bell.rings
    assert bell.answer() == 0
    ropes[0].pull()
    assert [bell.answer() for _ in range(4)] == [5, ROPES - 1, 0, None]
    assert not bell.rings
    bell.again(5)
    assert bell.answer() == 5


def test_no_pull_is_slept_through(bell: Bell) -> None:
    """All orders of: pull, see whether the owner sleeps | go to sleep, look once more. A pull is both at once."""
    other = rope(bell, 3)
    for order in [order for order in product("po", repeat=3) if order.count("p") == 1]:
        steps: dict[str, list[Callable[[], object]]] = {"p": [other.pull], "o": [bell.sleep, bell.answer]}
        seen = [steps[who].pop(0)() for who in order]
        assert goes_off(bell) or 3 in seen, order
        bell.wake()
        bell.answer()


def test_who_looks_is_not_woken(bell: Bell) -> None:
    other = rope(bell, 3)
    other.pull()
    assert not goes_off(bell)
    bell.sleep()
    other.pull()
    assert goes_off(bell)
    for _ in range(1 << 17):  # more than a pipe holds
        other.pull()
    bell.wake()
    assert goes_off(bell)


def test_a_rope_is_had_of_a_pipe_alone(bell: Bell) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in (bell.segment.offer.fd, 9999, 2**32 - 1):
        bell.segment.memory[ALARM : ALARM + 4] = number.to_bytes(4, "little")
        assert Rope.of(bell.segment, 0) is None
    assert len(os.listdir("/proc/self/fd")) == before


def test_who_is_gone_is_not_woken() -> None:
    alarm = Alarm()
    button = Button.open(os.getpid(), alarm.number)
    assert button is not None
    alarm.close()
    button.press()
    button.close()
