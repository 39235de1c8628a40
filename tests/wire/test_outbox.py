"""What waits for a peer that doesn't read is bounded; one that reads again gets all of it, in order."""

from __future__ import annotations

from time import monotonic

import numpy as np

from yarnml.wire.message import Beat, Gather
from yarnml.wire.transport import Status
from yarnml.wire.zmq import ZmqTransport
from yarnml.wire.zmq.outbox import FLIGHT, LIMIT

WAIT = 20.0  # s
BLOCK = np.zeros(1 << 20, np.float32)  # 4 MB


def test_a_peer_that_never_reads_holds_so_much_and_no_more() -> None:
    transport = ZmqTransport(shared=False)
    listener = transport.listen()
    channel = transport.connect(listener.address, "worker 0")
    channel.send(Beat())
    assert listener.recv(WAIT) is not None
    taken = 0
    while (status := listener.send("worker 0", Gather(array=BLOCK, seq=taken)).status) is not Status.FULL:
        assert status is not Status.GONE
        taken += 1
        assert taken * BLOCK.nbytes < 4 * (LIMIT + FLIGHT), "it is never full"
    end = monotonic() + WAIT
    for seq in range(taken):
        while (came := channel.recv()) is None:
            listener.recv(0.001)
            assert monotonic() < end, f"message {seq} never comes"
        assert came.seq == seq
    assert listener.send("worker 0", Gather(array=BLOCK)).status is Status.SENT
    for each in (channel, listener, transport):
        each.close()
