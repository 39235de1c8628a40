"""A ring: what was written is read as it was and in its order, however the steps of both fall; nonsense is refused."""

from __future__ import annotations

import mmap
import os
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from yarnml.wire.frames import WireError
from yarnml.wire.ring import HEAD, LINE, RECORD, Reader, Writer

ROOM = 256
AT = 64  # place of the ring in the memory
WAIT = 60.0  # s


def memory(room: int = ROOM) -> mmap.mmap:
    return mmap.mmap(-1, AT + HEAD + room)


def sides(room: int = ROOM) -> tuple[Writer, Reader]:
    both = memory(room)
    reader = Reader(both, AT, room)
    reader.listen()
    return Writer(both, AT, room), reader


def test_nothing_is_ready_before_the_reader_listens() -> None:
    both = memory()
    writer, reader = Writer(both, AT, ROOM), Reader(both, AT, ROOM)
    assert writer.put(7, b"early")
    assert not writer.heard
    assert reader.take() is None
    assert not reader.empty
    reader.listen()
    assert writer.heard
    assert reader.take() == (7, b"early")
    assert reader.empty


def test_room_comes_back_with_release_alone() -> None:
    writer, reader = sides()
    body = bytes(ROOM - RECORD.size)
    assert writer.put(0, body)
    assert not writer.put(0, b"")
    reader.take()
    assert not writer.put(0, b"")
    assert not writer.behind
    reader.release()
    assert writer.put(0, body)
    assert not writer.has_room(0)
    assert not writer.put(0, bytes(ROOM)), "it never fits"


class Steps(RuleBasedStateMachine):
    """Records of any size, written and read by turns, beside a queue of what is on its way."""

    def __init__(self) -> None:
        super().__init__()
        self.writer, self.reader = sides()
        self.way: deque[tuple[int, bytes]] = deque()
        self.taken: deque[int] = deque()  # sizes of records taken and not released
        self.seed = 0

    @rule(n=st.integers(0, ROOM))
    def put(self, n: int) -> None:
        self.seed += 1
        record = self.seed, bytes((self.seed + i) % 256 for i in range(n))
        whole = RECORD.size * (1 + -(-n // RECORD.size))
        fits = sum(self.taken) + sum(RECORD.size * (1 + -(-len(b) // RECORD.size)) for _, b in self.way) + whole <= ROOM
        assert self.writer.has_room(n) == fits
        assert self.writer.put(*record) == fits
        if fits:
            self.way.append(record)

    @precondition(lambda self: self.way)
    @rule()
    def take(self) -> None:
        tag, body = self.way.popleft()
        assert self.reader.take() == (tag, body)
        assert self.reader.more == bool(self.way)
        self.taken.append(RECORD.size * (1 + -(-len(body) // RECORD.size)))

    @rule()
    def release(self) -> None:
        self.reader.release()
        self.taken.clear()

    @invariant()
    def what_is_on_its_way_is_there(self) -> None:
        assert self.reader.empty == (not self.way)
        assert self.writer.behind == (len(self.way) + len(self.taken) > 1)


TestSteps = Steps.TestCase
TestSteps.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


@given(st.binary(min_size=HEAD + ROOM, max_size=HEAD + ROOM), st.binary(max_size=64))
def test_whatever_is_there_is_read_or_refused_and_never_beyond_the_ring(there: bytes, more: bytes) -> None:
    both = memory()
    both[AT:] = there
    reader, writer = Reader(both, AT, ROOM), Writer(both, AT, ROOM)
    writer.put(1, more)
    reader.listen()
    for _ in range(ROOM):  # each record has 8 bytes at least
        try:
            record = reader.take()
        except WireError:
            break
        if record is None:
            break
        assert len(record[1]) <= ROOM
        reader.release()
    assert reader.take() is None, "what was read whole, or was broken, is read no more"


@pytest.mark.parametrize("told", [1, ROOM + 8, 1 << 63, (1 << 64) - 1])
def test_more_than_there_can_be_is_refused(told: int) -> None:
    both = memory()
    reader, writer = Reader(both, AT, ROOM), Writer(both, AT, ROOM)
    reader.listen()
    struct.pack_into("<Q", both, AT, told)
    with pytest.raises(WireError, match="a record of"):
        reader.take()
    assert reader.take() is None
    struct.pack_into("<Q", both, AT + LINE, told)
    assert [writer.put(0, bytes(ROOM // 2 - RECORD.size)) for _ in range(3)] == [True, True, False]


WRITER = f"""
import mmap, os, sys
from yarnml.wire.ring import Writer
parent = os.getppid()
memory = mmap.mmap(int(sys.argv[1]), {HEAD + (1 << 12)})
writer, seq = Writer(memory, 0, 1 << 12), 0
while os.getppid() == parent:
    if writer.put(seq, bytes([seq % 251]) * (seq * 7919 % 999)):
        seq += 1
"""


def body(seq: int) -> bytes:
    return bytes([seq % 251]) * (seq * 7919 % 999)


def test_a_writer_that_is_killed_leaves_whole_records() -> None:
    """Read while another process writes as fast as it can, until it is killed."""
    least = 3000
    fd = os.memfd_create("ring")
    os.ftruncate(fd, HEAD + (1 << 12))
    reader = Reader(mmap.mmap(fd, HEAD + (1 << 12)), 0, 1 << 12)
    reader.listen()
    with subprocess.Popen([sys.executable, "-c", WRITER, str(fd)], pass_fds=[fd]) as child:
        try:
            seq = taken(reader, 0, lambda seq: seq == least)
        finally:
            child.kill()
    taken(reader, seq, lambda _: reader.empty)
    os.close(fd)


def taken(reader: Reader, seq: int, enough: Callable[[int], bool]) -> int:
    """Take records from number `seq` on; the number of the next one."""
    end = monotonic() + WAIT
    while not enough(seq):
        if (record := reader.take()) is not None:
            assert record == (seq, body(seq))
            reader.release()
            seq += 1
        assert monotonic() < end
    return seq
