"""The server: what isn't from its workers does it no harm."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest
import zmq

from tests.conformance.test_transport import MESSAGES
from tests.wire.test_frames import bytes_of, mutate
from yarnml.comm.company import Alone
from yarnml.ps import Client, TableSpec, connect, serve
from yarnml.wire.zmq import ZmqTransport

SPECS = [TableSpec("W", (10, 2))]


def storm(count: int) -> int:
    """A live server under so many mutated messages, and then a worker's; how many it refused."""
    refused: list[int] = []
    serving, working = ZmqTransport(), ZmqTransport()
    listener = serving.listen()

    def server() -> None:
        refused.append(
            serve(
                listener, SPECS, server=0, servers=1, workers=1, staleness=0, seed=0, check=lambda: None, generation=77
            )
        )
        listener.close()

    thread = threading.Thread(target=server)
    thread.start()
    rng = random.Random(1)
    context = zmq.Context()
    evil = context.socket(zmq.DEALER)
    evil.setsockopt(zmq.LINGER, 30_000)
    evil.connect(listener.address)
    for _ in range(count):
        evil.send_multipart(mutate(rng, bytes_of(rng.choice(MESSAGES))) or [b""])
    evil.close()
    context.term()  # returns when all has gone out
    channels = connect(working, [listener.address], 0)
    company = Alone(lambda _: None, lambda: None)
    client = Client(company, working, channels, SPECS, worker=0, staleness=0, generation=77, deadline=60)
    client.table("W").inc(4, np.ones(2))
    client.clock()
    assert client.table("W").get().sum() == 2
    client.finish()
    thread.join(30)
    assert not thread.is_alive()
    working.close()
    serving.close()
    return refused[0]


def test_a_storm_of_mutated_messages() -> None:
    assert storm(3000) > 2500


@pytest.mark.full
@pytest.mark.timeout(1000)
def test_a_storm_full() -> None:
    assert storm(100_000) > 90_000
