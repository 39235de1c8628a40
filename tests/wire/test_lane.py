"""Large frames go through shared memory between two processes of one host, and over the socket where there is none."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from yarnml.wire.arena import is_reference
from yarnml.wire.lane import Lanes, Offering
from yarnml.wire.message import Beat, Gather, Message
from yarnml.wire.segment import Offer
from yarnml.wire.transport import Channel, Listener, Status
from yarnml.wire.zmq import ZmqTransport

WAIT = 10.0  # s
LARGE = np.arange(1 << 18, dtype=np.float32)


def test_an_offer_is_accepted_and_both_ways_are_taken() -> None:
    offering, lanes = Offering(), Lanes()
    answer = lanes.heed("worker 0", offering.frame)
    assert answer
    assert offering.heed(answer)
    up, down = offering.lane, lanes.get("worker 0")
    assert up is not None
    assert down is not None
    for sender, receiver in ((up, down), (down, up)):
        frames = sender.load([b"head", LARGE])
        assert is_reference(frames[1])
        head, array = receiver.unload(frames)
        assert head == b"head"
        assert (np.frombuffer(array, np.float32) == LARGE).all()
    offering.close()


def test_an_offer_that_leads_nowhere_is_not_accepted() -> None:
    lanes = Lanes()
    assert lanes.heed("worker 0", Offer(1, 3, bytes(16)).pack()) == b""
    assert lanes.get("worker 0") is None
    assert lanes.heed("worker 0", b"no offer") is None


def test_a_yes_to_another_offer_is_none() -> None:
    one, other = Offering(), Offering()
    answer = Lanes().heed("worker 0", other.frame)
    assert answer
    assert not one.heed(answer)
    assert one.lane is None
    one.close()
    other.close()


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Listener]]:
    transport = ZmqTransport()
    listener = transport.listen()
    channel = transport.connect(listener.address, "worker 0")
    yield channel, listener
    channel.close()
    listener.close()
    transport.close()


def heard(listener: Listener) -> Message:
    came = listener.recv(WAIT)
    assert came is not None
    return came[1]


def test_more_than_there_is_room_for_goes_over_the_socket(ends: tuple[Channel, Listener]) -> None:
    """Everything is kept, so that no memory comes free: 100 arrays of 4 MB are more than the segment's half."""
    channel, listener = ends
    channel.send(Beat())
    heard(listener)
    block = np.zeros(1 << 20, np.float32)
    kept = []
    for i in range(100):
        block[:] = i
        assert listener.send("worker 0", Gather(array=block.copy(), seq=i)).status is not Status.GONE
        end = monotonic() + WAIT
        while (came := channel.recv()) is None:
            listener.recv(0.001)
            assert monotonic() < end, f"array {i} never comes"
        kept.append(came)
    for i, message in enumerate(kept):
        assert isinstance(message, Gather)
        assert message.seq == i
        assert (message.array == i).all()
    assert channel.refused == listener.refused == 0


CHILD = """
import sys
import numpy as np
from yarnml.wire.message import Beat, Gather
from yarnml.wire.zmq import ZmqTransport

channel = ZmqTransport().connect(sys.argv[1], "worker 0")
channel.send(Beat())
assert channel.recv(10) is not None
for seq in range(3):
    channel.send(Gather(seq=seq, array=np.full(1 << 20, seq, np.float32)))
sys.stdin.read()
"""


def test_kill_9_is_noticed_and_leaves_no_memory() -> None:
    files = set(os.listdir("/dev/shm"))
    transport = ZmqTransport()
    listener = transport.listen()
    child = subprocess.Popen([sys.executable, "-c", CHILD, listener.address], stdin=subprocess.PIPE)
    heard(listener)
    listener.send("worker 0", Beat())
    kept = [heard(listener) for _ in range(3)]
    memory = _shared(child.pid)
    assert memory & _shared(os.getpid()), "they lie in its memory"
    child.kill()
    child.wait()
    end = monotonic() + WAIT
    while listener.send("worker 0", Beat()).status is not Status.GONE:
        assert listener.recv(0.001) is None  # a listener sends what waits while it listens
        assert monotonic() < end, "not noticed"
    assert [float(message.array.max()) for message in kept if isinstance(message, Gather)] == [0.0, 1.0, 2.0]
    del kept
    gc.collect()
    assert not memory & _shared(os.getpid())
    assert not [name for name in set(os.listdir("/dev/shm")) - files if "yarnml" in name]
    listener.close()
    transport.close()
    child.communicate()


def _shared(pid: int) -> set[str]:
    """The inodes of such memory that a process has."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {line.split()[4] for line in lines if "memfd:yarnml" in line}
