"""What ZeroMQ alone gets wrong unless told: a peer that computes for long must not lose its connection."""

from __future__ import annotations

from time import monotonic

import zmq

from yarnml.wire.message import Ack, Beat
from yarnml.wire.transport import Status
from yarnml.wire.zmq import ZmqTransport
from yarnml.wire.zmq.sockets import COMMON

WAIT = 10.0  # s
PATIENCE = COMMON[zmq.HEARTBEAT_TIMEOUT] / 1000  # s that a peer may be silent


def test_a_reader_that_computes_for_long_misses_nothing_and_keeps_its_connection() -> None:
    """Nothing is read for longer than heartbeats may be missed, while more messages come than a queue would hold."""
    transport = ZmqTransport()
    listener = transport.listen()
    channel = transport.connect(listener.address, "worker 0")
    channel.send(Beat())
    assert listener.recv(WAIT) is not None
    n = 5000
    for seq in range(n):
        assert listener.send("worker 0", Ack(seq=seq)).status is not Status.GONE
    end = monotonic() + 3 * PATIENCE
    while monotonic() < end:  # also gives what waits here its chances to leave
        listener.recv(PATIENCE)
        assert listener.send("worker 0", Ack(seq=n)).status is not Status.GONE
        n += 1
    came: list[int] = []
    while len(came) < n and (message := channel.recv(WAIT)) is not None:
        came.append(message.seq)
        listener.recv(0)
    assert came == list(range(n))
    channel.close()
    listener.close()
    transport.close()
