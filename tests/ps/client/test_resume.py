"""Resuming: a worker's place is taken where all servers agree on where it stood."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from yarnml.comm.company import FOREVER
from yarnml.errors import PeerLost, Stopped
from yarnml.ps import Disagree, connect, resume
from yarnml.ps.sender import name
from yarnml.wire.memory import Exchange, MemoryTransport
from yarnml.wire.message import Hello, Rows, Standing
from yarnml.wire.transport import Listener


def alone() -> None:
    """The run goes on."""


def asked(*standings: Standing | None, check: Callable[[], None] = alone) -> tuple[int, tuple[int, ...]]:
    """Incarnation 2 of worker 1 in generation 3 asks so many servers, which say this, or nothing."""
    transport = MemoryTransport(Exchange())
    listeners = [transport.listen() for _ in standings]
    heard: list[tuple[str, object]] = []

    def server(listener: Listener, standing: Standing) -> None:
        came = listener.recv(5)
        assert came is not None
        heard.append(came)
        echo = Rows(generation=3, table=0, values=())  # for the one before
        for message in (echo, Standing(generation=2, clock=9, seq=9), standing):
            listener.send(came[0], message)

    threads = [
        threading.Thread(target=server, args=(listener, standing))
        for listener, standing in zip(listeners, standings, strict=True)
        if standing is not None
    ]
    for thread in threads:
        thread.start()
    channels = connect(transport, [listener.address for listener in listeners], 1, 2, 3)
    try:
        deadline = 0.5 if None in standings else 10
        return resume(transport, channels, worker=1, incarnation=2, generation=3, check=check, deadline=deadline)
    finally:
        for thread in threads:
            thread.join()
        assert heard == [(name(1, 2, 3), Hello(generation=3, sender=1, seq=2))] * len(threads)


def test_it_goes_on_in_the_clock_after() -> None:
    here, there = Standing(generation=3, clock=4, seq=5), Standing(generation=3, clock=4, seq=7)
    assert asked(here, there) == (5, (5, 7))


def test_a_clock_that_not_all_have_heard_of() -> None:
    with pytest.raises(Disagree, match="worker 1 had told some servers of clock 5 and not all"):
        asked(Standing(generation=3, clock=4, seq=5), Standing(generation=3, clock=5, seq=6))


def test_work_that_has_returned() -> None:
    with pytest.raises(Disagree, match="worker 1 had ended its work"):
        asked(Standing(generation=3, clock=FOREVER, seq=5))


def test_a_server_that_says_nothing() -> None:
    with pytest.raises(PeerLost, match=r"server 1 hasn't said for .* s how far worker 1 had come"):
        asked(Standing(generation=3, clock=4, seq=5), None)


def test_a_run_that_ends_meanwhile() -> None:
    def stopping() -> None:
        raise Stopped("killed")

    with pytest.raises(Stopped, match="killed"):
        asked(None, check=stopping)
