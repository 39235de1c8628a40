"""A bell: each ring is heard once, and who rings or who sleeps sees the other."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from functools import partial
from itertools import product

from yarnml.wire.bell import SLOTS, Bell


def bells() -> tuple[Bell, Bell]:
    """The owner's and another's."""
    memory = mmap.mmap(-1, 4096)
    return Bell(memory), Bell(memory)


def test_each_is_heard_once_and_has_its_turn() -> None:
    owner, other = bells()
    assert owner.answer() is None
    for slot in (0, 5, SLOTS - 1):
        other.ring(slot)
        other.ring(slot)
    assert owner.rung
    assert owner.answer() == 0
    other.ring(0)
    assert [owner.answer() for _ in range(4)] == [5, SLOTS - 1, 0, None]
    assert not owner.rung


def test_no_ring_is_slept_through() -> None:
    """All orders of: ring, see whether the owner sleeps | go to sleep, look once more."""
    orders = [order for order in product("ro", repeat=4) if order.count("r") == 2]
    for order in orders:
        owner, other = bells()
        steps: dict[str, list[Callable[[], object]]] = {
            "r": [partial(other.ring, 3), partial(getattr, other, "asleep")],
            "o": [owner.sleep, owner.answer],
        }
        seen = [steps[who].pop(0)() for who in order]
        assert True in seen or 3 in seen, order


def test_who_looks_needs_no_waking() -> None:
    owner, other = bells()
    assert not other.asleep
    owner.sleep()
    assert other.asleep
    owner.wake()
    assert not other.asleep
