"""Messages go through shared memory between two processes of one host, and over the socket where there is none."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from yarnml.wire import arena, ring
from yarnml.wire.bell import ROPES, Rope
from yarnml.wire.frames import SMALL, encode
from yarnml.wire.lane import Lane
from yarnml.wire.message import Ack, Beat, Gather, Gathered, Join, Message
from yarnml.wire.segment import HEAD
from yarnml.wire.transport import Channel, Listener, Status
from yarnml.wire.zmq import ZmqTransport

WAIT = 30.0  # s
LARGE = np.arange(1 << 16, dtype=np.float32)


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


def told(channel: Channel, listener: Listener) -> Message:
    """A listener sends what waits while it listens."""
    end = monotonic() + WAIT
    while (came := channel.recv()) is None:
        assert listener.recv(0.001) is None
        assert monotonic() < end, "it never comes"
    return came


def meet(channel: Channel, listener: Listener) -> None:
    """Until both send by the lane."""
    for end in (channel, listener, channel, listener):
        if end is channel:
            channel.send(Beat())
            heard(listener)
        else:
            listener.send("worker 0", Beat())
            told(channel, listener)


def test_more_than_there_is_room_for_comes_too(ends: tuple[Channel, Listener]) -> None:
    """Everything is kept, so that no memory comes free: 100 arrays of 4 MB are more than the arena."""
    channel, listener = ends
    meet(channel, listener)
    block = np.zeros(1 << 20, np.float32)
    kept = []
    for i in range(100):
        block[:] = i
        assert listener.send("worker 0", Gather(array=block.copy(), seq=i)).status is not Status.GONE
        kept.append(told(channel, listener))
    for i, message in enumerate(kept):
        assert isinstance(message, Gather)
        assert message.seq == i
        assert (message.array == i).all()
    assert channel.refused == listener.refused == 0


SIZES = [0, 1, 100, SMALL // 8, SMALL, 1 << 20]  # numbers of 8 bytes


def random_message(rng: random.Random, seq: int) -> Gathered:
    arrays = [np.full(rng.choice(SIZES), seq, np.int64) for _ in range(rng.randrange(9))]
    return Gathered(seq=seq, arrays=tuple(arrays))


def test_all_kinds_of_sizes_keep_their_order_both_ways_from_the_first_message_on(
    ends: tuple[Channel, Listener],
) -> None:
    """Heads that are larger than the ring, too, and through the change from the socket to the ring."""
    channel, listener = ends
    rng = random.Random(3)
    up, down, sent, answered = 0, 0, 0, 0
    end = monotonic() + WAIT
    while (sent, answered, up, down) != (60, 60, 60, 60):
        assert monotonic() < end
        if sent < 60 and rng.random() < 0.5:
            assert channel.send(random_message(rng, sent)) is Status.SENT
            sent += 1
        if up and answered < 60 and rng.random() < 0.5:
            assert listener.send("worker 0", random_message(rng, answered)).status is not Status.GONE
            answered += 1
        if (came := listener.recv(0.0)) is not None:
            up = checked(came[1], up)
        if (message := channel.recv(0.0)) is not None:
            down = checked(message, down)
    assert channel.refused == listener.refused == 0


def checked(message: Message, seq: int) -> int:
    assert isinstance(message, Gathered)
    assert message.seq == seq
    assert all((array == seq).all() for array in message.arrays)
    return seq + 1


def test_a_channel_that_closes_waits_for_what_would_go_with_it(ends: tuple[Channel, Listener]) -> None:
    """The arena is filled first, by messages that nobody reads."""
    channel, listener = ends
    meet(channel, listener)
    block, n = np.zeros(1 << 25, np.uint8), arena.GRANULE * arena.GRANULES // (1 << 25)
    for seq in range(n + 1):
        assert channel.send(Gather(seq=seq, array=block)) is Status.SENT
    with ThreadPoolExecutor(1) as pool:
        closed = pool.submit(channel.close)
        assert [heard(listener).seq for _ in range(n + 1)] == list(range(n + 1))
        closed.result(WAIT)


def test_who_does_not_read_is_waited_for_a_second_and_loses_nothing(ends: tuple[Channel, Listener]) -> None:
    channel, listener = ends
    meet(channel, listener)
    text, n = "x" * 50_000, 0
    while channel.send(Join(seq=n, role="", address="", name=text)) is Status.SENT:
        n += 1
        assert n < 100, "a ring that has no end"
    assert [heard(listener).seq for _ in range(n)] == list(range(n))
    assert channel.send(Ack(seq=n)) is Status.SENT
    assert heard(listener).seq == n


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
if sys.argv[2] == "asleep":
    channel.recv(100)
sys.stdin.read()
"""


@pytest.mark.parametrize("state", ["asleep", "busy"])
def test_kill_9_is_noticed_and_leaves_no_memory(state: str) -> None:
    files = set(os.listdir("/dev/shm"))
    transport = ZmqTransport()
    listener = transport.listen()
    child = subprocess.Popen([sys.executable, "-c", CHILD, listener.address, state], stdin=subprocess.PIPE)
    heard(listener)
    listener.send("worker 0", Beat())
    kept = [heard(listener) for _ in range(3)]
    memory = _shared(child.pid) & _shared(os.getpid())
    assert memory, "they lie in its memory"
    child.kill()
    child.wait()
    end = monotonic() + WAIT
    while listener.send("worker 0", Beat()).status is not Status.GONE:
        assert listener.recv(0.001) is None  # a listener sends what waits while it listens
        assert monotonic() < end, "not noticed"
    assert [float(message.array.max()) for message in kept if isinstance(message, Gather)] == [0.0, 1.0, 2.0]
    del kept
    gc.collect()
    assert len(memory & _shared(os.getpid())) == 1, "but its bell"
    listener.close()
    transport.close()
    assert not [name for name in set(os.listdir("/dev/shm")) - files if "yarnml" in name]
    child.communicate()


def _shared(pid: int) -> set[str]:
    """The inodes of such memory that a process has."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {line.split()[4] for line in lines if "memfd:yarnml" in line}


def test_a_stopped_process_is_out_of_reach_and_misses_nothing_when_it_goes_on() -> None:
    """Its ring has room, but its heartbeats are missed."""
    transport = ZmqTransport()
    listener = transport.listen()
    child = subprocess.Popen([sys.executable, "-c", CHILD, listener.address, "busy"], stdin=subprocess.PIPE)
    heard(listener)
    listener.send("worker 0", Beat())
    for _ in range(3):
        heard(listener)
    child.send_signal(signal.SIGSTOP)
    for wanted in (Status.GONE, Status.SENT):
        end = monotonic() + WAIT
        while listener.send("worker 0", Beat()).status is not wanted:
            listener.recv(0.001)
            assert monotonic() < end, f"never {wanted}"
        child.send_signal(signal.SIGCONT)
    child.kill()
    child.communicate()
    listener.close()
    transport.close()


LISTENER = """
from yarnml.wire.message import Beat
from yarnml.wire.zmq import ZmqTransport

listener = ZmqTransport().listen()
print(listener.address, flush=True)
while True:
    came = listener.recv(100)
    listener.send(came[0], Beat())
"""


def test_who_writes_to_a_killed_listener_is_told_that_nothing_leaves() -> None:
    with subprocess.Popen([sys.executable, "-c", LISTENER], stdout=subprocess.PIPE, text=True) as child:
        transport = ZmqTransport()
        assert child.stdout is not None
        channel = transport.connect(child.stdout.readline().strip(), "worker 0")
        for _ in range(3):
            channel.send(Beat())
            assert channel.recv(WAIT) == Beat()
        child.kill()
    n = 0
    while channel.send(Join(role="", address="", name="x" * 50_000)) is Status.SENT:
        n += 1
        assert n < 100, "a ring that has no end"
    assert channel.recv(0.01) is None
    channel.close()
    transport.close()


def test_many_peers_have_their_turns() -> None:
    transport = ZmqTransport()
    listener = transport.listen()
    peers = [f"worker {i}" for i in range(40)]
    channels = [transport.connect(listener.address, peer) for peer in peers]
    came: dict[str, list[int]] = {peer: [] for peer in peers}
    for seq in range(8):
        for channel in channels:
            assert channel.send(Ack(seq=seq)) is Status.SENT
            channel.recv(0.0)
        while min(map(len, came.values())) <= seq - 2:
            peer, message = listener.recv(WAIT) or ("", Beat())
            came[peer].append(message.seq)
    while sum(map(len, came.values())) < 8 * len(peers):
        peer, message = listener.recv(WAIT) or ("", Beat())
        came[peer].append(message.seq)
    assert all(seqs == list(range(8)) for seqs in came.values())
    for channel in channels:
        channel.close()
    listener.close()
    transport.close()


def test_whatever_is_in_a_ring_is_counted_and_does_no_harm(ends: tuple[Channel, Listener]) -> None:
    """A hostile channel writes what it likes into the memory of both, and to everybody's bell."""
    channel, listener = ends
    meet(channel, listener)
    lane = channel._lane  # type: ignore[attr-defined]
    for rope in range(ROPES):
        Rope(lane._rope._memory, rope, lane._rope._button).pull()
    assert listener.recv(0.0) is None
    for body, tag in ((b"nonsense", 0), (b"x" * 64, 2), (b"y" * 31, 1), (b"", 1 << 31), (b"z" * 32, 1 << 31), (b"", 5)):
        before = listener.refused
        lane._writer.put(tag, body)
        lane.send([b"and nonsense"])
        assert listener.recv(0.0) is None
        assert listener.refused == before + 2
    assert channel.send(Ack(seq=7)) is Status.SENT
    assert heard(listener).seq == 7
    lane._writer._told[0] = 1 << 60
    lane._rope.pull()
    before = listener.refused
    assert listener.recv(0.0) is None
    assert listener.refused == before + 1


def scribble(rng: random.Random, lane: Lane) -> None:
    """Do what a hostile process could do to the memory of both."""
    memory, start = lane.segment.memory, HEAD
    if rng.random() < 0.5:
        start += arena.SIZE  # the ring's
    at = start + rng.choice([0, ring.LINE, ring.HEAD, rng.randrange(0, 4096)])
    some = rng.choice([bytes(8), b"\xff" * 8, rng.randbytes(rng.randrange(1, 64))])
    memory[at : at + len(some)] = some


@pytest.mark.parametrize("seed", range(8))
def test_a_storm_over_the_memory_of_both(ends: tuple[Channel, Listener], seed: int) -> None:
    """Whatever comes of it are messages, or counted as none; and others are heard."""
    channel, listener = ends
    meet(channel, listener)
    lane, rng = channel._lane, random.Random(seed)  # type: ignore[attr-defined]
    for _ in range(300):
        if rng.random() < 0.3:
            lane.send([b"head", LARGE] if rng.random() < 0.5 else encode(Ack(seq=rng.randrange(9))))
        if rng.random() < 0.3:
            scribble(rng, lane)
        lane._rope.pull()
        listener.recv(0.0)
        listener.send("worker 0", Gather(array=LARGE) if rng.random() < 0.2 else Beat())
        channel.recv(0.0)
    other = ZmqTransport()
    good = other.connect(listener.address, "worker 1")
    good.send(Ack(seq=77))
    end = monotonic() + WAIT
    while (came := listener.recv(WAIT)) is None or came[1].seq != 77:
        assert monotonic() < end
    good.close()
    other.close()
