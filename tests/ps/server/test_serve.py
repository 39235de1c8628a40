"""The server: what isn't from its workers does it no harm."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pytest
import zmq

from tests.conformance.test_transport import MESSAGES
from tests.wire.test_frames import bytes_of, mutate
from yarnml.comm.company import Alone
from yarnml.errors import RolledBack
from yarnml.ps import Client, TableSpec, connect, constant, serve
from yarnml.ps.sender import name
from yarnml.runs import wait_for
from yarnml.wire.frames import WireError, decode
from yarnml.wire.memory import Exchange, MemoryTransport
from yarnml.wire.message import Done, EndClock, Farewell, Get, Increments, Message, Patch, Refused, Rows
from yarnml.wire.zmq import ZmqTransport

SPECS = [TableSpec("W", (10, 2))]


def understood(frames: list[bytes]) -> bool:
    try:
        decode(frames)
    except WireError:
        return False
    return True


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
    senseless = 0
    for _ in range(count):
        frames = mutate(rng, bytes_of(rng.choice(MESSAGES))) or [b""]
        senseless += not understood(frames)
        evil.send_multipart(frames)
    evil.close()
    context.term()  # returns when all has gone out
    assert wait_for(lambda: listener.refused >= senseless, 60, every=0.01), "the server hasn't read it all"
    channels = connect(working, [listener.address], 0, generation=77)
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


@pytest.fixture
def transport() -> Iterator[ZmqTransport]:
    made = ZmqTransport()
    yield made
    made.close()


def forged(rng: random.Random) -> Message:
    """What a worker could have sent."""
    head = {"sender": rng.randrange(2), "clock": rng.randrange(3), "seq": rng.randrange(1, 4)}
    patch = Patch(0, 0, None, np.full((10, 2), 100, np.float32))
    return rng.choice(
        [EndClock(**head, patches=(patch,)), Increments(**head, patches=(patch,)), Done(**head), Farewell(**head)]
    )


def test_well_formed_messages_of_strangers_are_refused(transport: ZmqTransport) -> None:
    refused: list[int] = []
    serving = ZmqTransport()
    listener = serving.listen()

    def server() -> None:
        refused.append(serve(listener, SPECS, server=0, servers=1, workers=2, staleness=0, seed=0, check=lambda: None))
        listener.close()

    thread = threading.Thread(target=server)
    thread.start()
    context = zmq.Context()
    evil = context.socket(zmq.DEALER)
    evil.setsockopt(zmq.IDENTITY, b"worker 9")
    evil.setsockopt(zmq.LINGER, 30_000)
    evil.connect(listener.address)
    rng = random.Random(1)
    for _ in range(200):
        evil.send_multipart(bytes_of(forged(rng)))
    evil.send(b"the listener counts this one, and so tells that it has read them all")
    evil.close()
    context.term()
    assert wait_for(lambda: listener.refused >= 1, 60, every=0.01), "the server hasn't read it all"
    company = Alone(lambda _: None, lambda: None)
    clients = [
        Client(company, transport, connect(transport, [listener.address], w), SPECS, worker=w, staleness=0, deadline=60)
        for w in (0, 1)
    ]
    for client in clients:
        client.table("W").inc(4, np.ones(2))
        client.clock()
    for client in clients:
        assert client.table("W").get().sum() == 4
        assert (client.sent_bytes, client.received_bytes) == (8, 80)
        client.end()
    for client in clients:
        client.finish()
    thread.join(30)
    assert not thread.is_alive()
    serving.close()
    assert refused == [200 + 1]


def test_a_worker_of_the_run_is_told_what_it_cannot_mean() -> None:
    exchange = Exchange()
    listener = MemoryTransport(exchange).listen()
    channel = MemoryTransport(exchange).connect(listener.address, name(0))
    for message in (Get(sender=0, seq=1, table=3), Done(sender=0, seq=1), Farewell(sender=0, seq=2)):
        channel.send(message)
    assert serve(listener, SPECS, server=0, servers=1, workers=1, staleness=0, seed=0, check=lambda: None) == 1
    assert channel.recv() == Refused(seq=1, reason="rows of table 3 of 1")


def test_who_asks_for_more_than_it_reads_is_answered_as_it_reads() -> None:
    """80 times 4 MB are more than the listener keeps for one peer: none is lost, and none need be asked for again."""
    with closing(ZmqTransport(shared=False)) as transport:
        listener = transport.listen()
        spec = TableSpec("W", (1024, 1024), init=constant(1.0), push="lazy")
        thread = threading.Thread(
            target=serve, args=(listener, [spec]),
            kwargs={"server": 0, "servers": 1, "workers": 1, "staleness": 0, "seed": 0, "check": lambda: None},
        )  # fmt: skip

        thread.start()
        channel = transport.connect(listener.address, name(0))
        for seq in range(80):
            channel.send(Get(sender=0, seq=seq, table=0, start=0, stop=1024, read=-1))
        for seq in range(80):
            came = channel.recv(30)
            assert isinstance(came, Rows)
            assert came.seq == seq
            assert all((block == 1).all() for block in came.values)
        channel.send(Done(sender=0, seq=1))
        channel.send(Farewell(sender=0, seq=2))
        while (came := channel.recv(30)) is not None and came.seq < 2:
            pass
        channel.close()
        thread.join(30)
        listener.close()
        assert not thread.is_alive()


def test_a_storm_of_mutated_messages() -> None:
    assert storm(3000) > 2500


@pytest.mark.full
@pytest.mark.timeout(1000)
def test_a_storm_full() -> None:
    assert storm(100_000) > 90_000


def test_a_listener_serves_the_next_generation_from_a_checkpoint_and_hears_nobody_of_the_last(tmp_path: Path) -> None:
    transport = MemoryTransport(Exchange())
    listener = transport.listen()
    told: SimpleQueue[tuple[int, str]] = SimpleQueue()
    asked, back = threading.Event(), threading.Event()
    refused: list[int] = []

    def check() -> None:
        if back.is_set():
            raise RolledBack("worker 1 died")

    def marks() -> tuple[int, str]:
        asked.set()
        return 2, str(tmp_path)

    def server() -> None:
        with pytest.raises(RolledBack):
            serve(
                listener, SPECS, server=0, servers=1, workers=1, staleness=0, seed=0, check=check,
                marks=marks, marked=lambda clock, error: told.put((clock, error)),
            )  # fmt: skip
        refused.append(
            serve(
                listener,
                SPECS,
                server=0,
                servers=1,
                workers=1,
                staleness=0,
                seed=0,
                check=lambda: None,
                generation=1,
                checkpoint=str(tmp_path),
                clock=2,
            )
        )

    def client(generation: int, clock: int) -> Client:
        company = Alone(lambda _: None, lambda: None)
        channels = connect(transport, [listener.address], 0, generation=generation)
        return Client(
            company, transport, channels, SPECS, worker=0, staleness=0, generation=generation, clock=clock, deadline=60
        )

    thread = threading.Thread(target=server)
    thread.start()
    old = client(0, 0)
    assert asked.wait(20)
    for _ in range(3):
        old.table("W").inc(4, np.ones(2))
        old.clock()
    assert told.get(timeout=20) == (2, "")
    back.set()
    new = client(1, 2)
    assert new.table("W").get()[4].tolist() == [2, 2]
    old.table("W").inc(4, np.ones(2))
    old.clock()
    new.clock()
    assert new.table("W").get()[4].tolist() == [2, 2]
    new.finish()
    thread.join(30)
    assert not thread.is_alive()
    assert refused == [1]
