"""Under a storm a server and a client stand, refuse what is no message or makes no sense, count it, and don't grow."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from typing import final

import numpy as np
import psutil
import pytest

from tests.ps.storm import SPECS, Storm
from tests.wire.test_frames import bytes_of
from yarnml.comm.company import Alone
from yarnml.errors import RunFailed
from yarnml.ps import Client, connect, serve
from yarnml.ps.sender import name
from yarnml.wire.frames import WireError, decode
from yarnml.wire.memory import Exchange, MemoryChannel, MemoryListener, MemoryTransport
from yarnml.wire.message import Ack, Ask, Done, EndClock, Farewell, Increments, Message, Nack, Refused
from yarnml.wire.transport import Listener, Receipt, Status

ROUND = 2000  # messages that one server or client endures
TURN = 100  # of them come to a client in one clock
MEBI = 1 << 20


@final
class StormListener(Listener):
    """Where a storm comes from, and then what two workers say that have nothing to do."""

    def __init__(self, storm: Storm, count: int) -> None:
        self._storm, self.left = storm, count
        self._nonsense = 0
        self._after: deque[Message] = deque(Ask(sender=worker) for worker in (0, 1))
        self._leaving = [[Farewell, Done], [Farewell, Done]]

    @property
    def refused(self) -> int:
        return self._nonsense

    @property
    def address(self) -> str:
        return ""

    def recv(self, timeout: float = 0.0) -> tuple[str, Message] | None:
        if not self.left and self._after:
            message = self._after.popleft()
            return name(message.sender), message
        if not self.left:
            return None
        self.left -= 1
        try:
            return name(self.left % 3), decode(self._storm.frames())
        except WireError:
            self._nonsense += 1
            return None

    def send(self, peer: str, message: Message, *, track: bool = False) -> Receipt:
        if isinstance(message, Ack | Nack):
            worker, expected = [name(0), name(1)].index(peer), message.seq + isinstance(message, Ack)
            self._storm.near = {"seq": expected, "clock": expected - 1}
            if not self.left and self._leaving[worker]:
                self._after.append(self._leaving[worker].pop()(sender=worker, seq=expected))
        return Receipt(Status.GONE)

    def close(self) -> None:
        """Nothing is open."""


def at_a_server(storm: Storm, count: int) -> tuple[int, int]:
    """(messages, how many of them are refused) until the server has said farewell to both of its workers."""
    listener = StormListener(storm, count)
    refused = serve(listener, SPECS, server=0, servers=1, workers=2, staleness=0, seed=0, check=lambda: None)
    assert refused >= listener.refused > 0
    return count - listener.left, refused


def at_a_client(storm: Storm, count: int) -> tuple[int, int]:
    """The same of a client, who goes on asking and adding meanwhile."""
    transport = MemoryTransport(Exchange())
    listener = transport.listen()
    channels = connect(transport, [listener.address], 0)
    (channel,) = channels
    assert isinstance(listener, MemoryListener)
    assert isinstance(channel, MemoryChannel)
    client = Client(Alone(lambda _: None, lambda: None), transport, channels, SPECS, worker=0, staleness=0, deadline=9)
    fed = 0
    while fed < count:
        act(client)
        sent = [message for _, message in iter(listener.recv, None)]
        came = []
        for i in range(TURN):
            message = sent[-1 - i % len(sent)]
            storm.near = {"seq": message.seq, "clock": message.clock, "read": client.clock_now - 1}
            came.append(storm.frames())
        fed += len(came)
        channel.inbox.extend(map(list, came))
        taken = max(message.seq for message in sent if isinstance(message, EndClock | Increments))
        channel.inbox.append(list(bytes_of(Ack(seq=taken))))
        before = client.refused
        try:
            client.clock()
        except RunFailed:  # who is told that what it has sent makes no sense, gives up
            assert any(isinstance(message, Refused) for message in map(understood, came))
            break
        assert client.refused - before >= sum(understood(frames) is None for frames in came)
    return fed, client.refused


def understood(frames: list[bytes]) -> Message | None:
    try:
        return decode(frames)
    except WireError:
        return None


def act(client: Client) -> None:
    """Requests, increments."""
    for spec in SPECS:
        table = client.table(spec.name)
        for rows in (slice(0, 7), np.array([1, 5, 9]), 3, None):
            table.prefetch(rows)
        table.inc(3, np.ones(spec.width, spec.dtype))


def endure(what: Callable[[Storm, int], tuple[int, int]], count: int) -> None:
    """So many messages, some at a time, in memory that is the same at the end as after some."""
    seen = refused = seed = at_first = 0
    while seen < count:
        some = what(Storm(seed), ROUND)
        seen, refused, seed = seen + some[0], refused + some[1], seed + 1
        if not at_first and seen > min(50_000, count / 2):
            at_first = memory()
    assert seen / 2 < refused <= seen
    assert memory() - at_first < 64 * MEBI


def memory() -> int:
    gc.collect()
    resident: int = psutil.Process().memory_info().rss
    return resident


@pytest.mark.parametrize("what", [at_a_server, at_a_client])
def test_storm(what: Callable[[Storm, int], tuple[int, int]]) -> None:
    endure(what, 6000)


@pytest.mark.full
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("what", [at_a_server, at_a_client])
def test_storm_full(what: Callable[[Storm, int], tuple[int, int]]) -> None:
    endure(what, 1_000_000)
