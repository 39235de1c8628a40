"""An arena: what was put is taken as it was, memory comes back, and no byte is ever in two arrays."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from yarnml.wire import arena
from yarnml.wire.arena import GRANULE, Incoming, Outgoing
from yarnml.wire.frames import WireError

TAG = b"12345678"
GRANULES = 16
Bytes = npt.NDArray[Any]


def sides() -> tuple[Outgoing, Incoming]:
    memory = mmap.mmap(-1, arena.CONTROL + GRANULE * GRANULES)
    return Outgoing(memory, 0, TAG, granules=GRANULES), Incoming(memory, 0, TAG, granules=GRANULES)


def put(side: Outgoing, array: Bytes) -> bytes:
    reference = side.put(array)
    assert reference is not None
    return reference


def test_an_array_is_taken_once_as_it_was_put() -> None:
    sender, receiver = sides()
    array = np.random.default_rng(0).random((300, 100))
    reference = put(sender, array)
    array[:] = 0
    taken = receiver.take(reference)
    assert (np.frombuffer(taken, np.float64) == np.random.default_rng(0).random(30_000)).all()
    with pytest.raises(WireError, match="isn't there"):
        receiver.take(reference)


def test_what_is_full_is_said_and_comes_back() -> None:
    sender, receiver = sides()
    whole = np.zeros(GRANULE * GRANULES, np.uint8)
    reference = put(sender, whole)
    assert sender.put(whole[:GRANULE]) is None
    taken = receiver.take(reference)
    view = np.frombuffer(taken.data, np.float32)[3:9]
    del taken
    assert sender.put(whole[:GRANULE]) is None, "a view of it is still used"
    del view
    assert sender.put(whole) is not None


def test_references_that_lead_nowhere_are_refused() -> None:
    sender, receiver = sides()
    reference = put(sender, np.zeros(GRANULE, np.uint8))
    for wrong in (b"", b"yr", reference[:-1], bytes(len(reference)), reference[:-8] + b"otherone"):
        with pytest.raises(WireError):
            receiver.take(wrong)
    for start, size in ((GRANULES, 1), (GRANULES - 1, GRANULE + 1), (0, 0), (2**32 - 1, 2**63)):
        with pytest.raises(WireError):
            receiver.take(arena._REFERENCE.pack(b"yr", 0, start, size, 1, TAG))
    assert len(receiver.take(reference)) == GRANULE


class Wire(RuleBasedStateMachine):
    """Arrays of one value each, some held for long."""

    def __init__(self) -> None:
        super().__init__()
        self.sender, self.receiver = sides()
        self.way: list[tuple[int, bytes]] = []
        self.held: list[tuple[int, Bytes]] = []
        self.value = 0

    @rule(granules=st.integers(1, GRANULES), less=st.integers(0, GRANULE - 1))
    def put(self, granules: int, less: int) -> None:
        self.value = self.value % 250 + 1
        reference = self.sender.put(np.full(granules * GRANULE - less, self.value, np.uint8))
        if reference is not None:
            self.way.append((self.value, reference))

    @precondition(lambda self: self.way)
    @rule()
    def take(self) -> None:
        value, reference = self.way.pop(0)
        self.held.append((value, self.receiver.take(reference)))

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))

    @invariant()
    def nothing_is_overwritten(self) -> None:
        assert all(array[0] == value and array[-1] == value for value, array in self.held)


TestWire = Wire.TestCase
TestWire.settings = settings(max_examples=20, stateful_step_count=30, deadline=None)
