"""What every transport does: messages arrive whole, in order, at the right peer, and slow peers block nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import numpy as np
import pytest

from yarnml.wire.memory import Exchange, MemoryTransport
from yarnml.wire.message import (
    Ack,
    Beat,
    Claim,
    Claimed,
    EndClock,
    Fail,
    Gather,
    Gathered,
    Get,
    Join,
    Message,
    Patch,
    Release,
    Roster,
    Rows,
)
from yarnml.wire.transport import Channel, Listener, Status, Transport
from yarnml.wire.zmq import ZmqTransport, new_keys

WAIT = 10.0  # s: a deadline, not a duration


KINDS: dict[str, Callable[[], Transport]] = {
    "memory": lambda: MemoryTransport(Exchange()),
    "zmq": lambda: ZmqTransport(shared=False),
    "shared": ZmqTransport,
    "curve": lambda: ZmqTransport(shared=False, keys=new_keys()),
}


@pytest.fixture(params=KINDS)
def transport(request: pytest.FixtureRequest) -> Iterator[Transport]:
    made = KINDS[request.param]()
    yield made
    made.close()


@pytest.fixture
def listener(transport: Transport) -> Iterator[Listener]:
    made = transport.listen()
    yield made
    made.close()


@pytest.fixture
def channel(transport: Transport, listener: Listener) -> Iterator[Channel]:
    made = transport.connect(listener.address, "worker 1")
    yield made
    made.close()


def heard(listener: Listener) -> tuple[str, Message]:
    came = listener.recv(WAIT)
    assert came is not None
    return came


def told(channel: Channel) -> Message:
    came = channel.recv(WAIT)
    assert came is not None
    return came


def same(a: Any, b: Any) -> bool:
    """Equal messages, arrays and all."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Message | Patch):
        return type(a) is type(b) and all(same(getattr(a, f), getattr(b, f)) for f in a.__dataclass_fields__)
    return bool(a == b)


BIG = np.arange(300_000, dtype=np.float32).reshape(300, 1000)
MESSAGES: list[Message] = [
    Join(role="worker", address="", name="host, pid 7", sender=3),
    Roster(servers=("tcp://a:1", "tcp://b:2")),
    Beat(generation=2),
    Gather(array=np.array(3.5), seq=4),
    Gathered(arrays=(np.zeros((2, 0), np.int32), np.ones((2, 3, 4)), np.array([True, False]))),
    Claim(seq=3, own=True),
    Claimed(seq=3, owner=2, number=17),
    Fail(error="naïve — ✓"),
    EndClock(
        clock=3,
        seq=9,
        patches=(Patch(0, 5, None, BIG), Patch(1, -1, np.array([1, 9]), np.ones((2, 3)))),
    ),
    Get(table=1, start=3, stop=9, read=-1, own=7),
    Get(table=1, rows=np.array([1, 5, 6]), read=4),
    Release(table=1, rows=np.array([1, 5, 6])),
    Rows(table=0, start=10, stop=610, values=(BIG, BIG), own=3, number=8, read=2, seq=11),
    Rows(table=0, rows=np.array([2, 4]), values=(np.ones((2, 1), np.float32),)),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: type(m).__name__)
def test_a_message_arrives_as_it_was_sent(listener: Listener, channel: Channel, message: Message) -> None:
    assert channel.send(message) is Status.SENT
    peer, came = heard(listener)
    assert peer == "worker 1"
    assert same(came, message)
    assert listener.send(peer, message).status is Status.SENT
    assert same(told(channel), message)


def test_arrays_that_arrive_are_aligned_and_read_only(listener: Listener, channel: Channel) -> None:
    for n in (1, 3, 100, 2_000, 20_000):
        channel.send(Gather(array=np.arange(n, dtype=np.float64)))
        _, came = heard(listener)
        assert isinstance(came, Gather)
        assert came.array.flags.aligned
        assert not came.array.flags.writeable


def test_order_is_kept(listener: Listener, channel: Channel) -> None:
    for i in range(100):
        channel.send(Ack(seq=i))
    assert [heard(listener)[1].seq for _ in range(100)] == list(range(100))


def test_answers_go_to_their_peer(transport: Transport, listener: Listener, channel: Channel) -> None:
    other = transport.connect(listener.address, "worker 2")
    channel.send(Ack(seq=1))
    other.send(Ack(seq=2))
    for _ in range(2):
        peer, message = heard(listener)
        listener.send(peer, message)
    assert told(channel).seq == 1
    assert told(other).seq == 2
    other.close()


def test_nobody_of_that_name(listener: Listener) -> None:
    assert listener.send("worker 9", Beat()).status is Status.GONE


def test_nothing_comes(listener: Listener, channel: Channel, transport: Transport) -> None:
    assert channel.recv() is None
    assert channel.recv(0.01) is None
    assert listener.recv(0.01) is None
    assert not transport.wait([channel], 0.01)


def test_wait_for_any(transport: Transport, listener: Listener, channel: Channel) -> None:
    second = transport.listen()
    other = transport.connect(second.address, "worker 1")
    for this, where in ((channel, listener), (other, second)):
        this.send(Beat())
        peer, _ = heard(where)
        where.send(peer, Beat())
        assert transport.wait([channel, other], WAIT)
        assert told(this) == Beat()
    other.close()
    second.close()


def test_what_was_lent_comes_free(listener: Listener, channel: Channel) -> None:
    channel.send(Beat())
    peer, _ = heard(listener)
    receipt = listener.send(peer, Rows(table=0, stop=300, values=(BIG,)), track=True)
    told(channel)
    end = monotonic() + WAIT
    while not receipt.done:
        assert monotonic() < end, "never free"


def test_a_slow_reader_loses_nothing_and_blocks_nobody(
    transport: Transport, listener: Listener, channel: Channel
) -> None:
    """500 replies of 200 KB are more than all buffers on the way hold."""
    quick = transport.connect(listener.address, "worker 2")
    for peer in (channel, quick):
        peer.send(Beat())
        heard(listener)
    block = np.zeros((100, 500), np.float32)
    for i in range(500):
        assert listener.send("worker 1", Rows(table=0, seq=i, stop=100, values=(block,))).status is not Status.GONE
    listener.send("worker 2", Ack(seq=7))
    assert told(quick).seq == 7
    for i in range(500):
        end = monotonic() + WAIT
        while (came := channel.recv()) is None:
            listener.recv(0.001)  # a listener sends what waits while it listens
            assert monotonic() < end, f"reply {i} never comes"
        assert came.seq == i
    quick.close()
