"""The client: its waits end, and say who was waited for."""

from __future__ import annotations

import threading
from time import monotonic

import numpy as np
import pytest

from yarnml.comm.company import Alone
from yarnml.errors import PeerLost, Stopped
from yarnml.ps import Client, TableSpec, connect, serve
from yarnml.ps.managed import Managed
from yarnml.wire.memory import Exchange, MemoryTransport
from yarnml.wire.message import EndClock

SPECS = [TableSpec("W", (10, 2))]


def alone() -> None:
    """The run goes on."""


def client(transport: MemoryTransport, addresses: list[str], check: object = alone, deadline: float = 60.0) -> Client:
    company = Alone(lambda _: None, check)  # type: ignore[arg-type]
    channels = connect(transport, addresses, 0)
    return Client(company, transport, channels, SPECS, worker=0, staleness=0, deadline=deadline)


def test_the_deadline_names_server_rows_table_and_clock() -> None:
    transport = MemoryTransport(Exchange())
    dumb = transport.listen()
    tables = client(transport, [dumb.address], deadline=0.3)
    tables.clock()
    with pytest.raises(PeerLost, match=r"server 0 to send rows \[2, 5\) of table 'W' as of clock 0"):
        tables.table("W").get(slice(2, 5))
    with pytest.raises(PeerLost, match="server 0 to take what worker 0 sent"):
        tables.flush()


def test_a_run_that_stops_ends_a_wait() -> None:
    transport = MemoryTransport(Exchange())
    dumb = transport.listen()
    end = monotonic() + 0.2

    def stopping() -> None:
        if monotonic() > end:
            raise Stopped("killed")

    with pytest.raises(Stopped, match="killed"):
        client(transport, [dumb.address], stopping).table("W").get()


def test_a_run_that_stops_ends_a_server() -> None:
    def stopping() -> None:
        raise Stopped("killed")

    with pytest.raises(Stopped, match="killed"):
        serve(
            MemoryTransport(Exchange()).listen(),
            SPECS,
            server=0,
            servers=1,
            workers=1,
            staleness=0,
            seed=0,
            check=stopping,
        )


def test_what_a_clock_has_read_is_handed_out_again() -> None:
    transport = MemoryTransport(Exchange())
    listener = transport.listen()
    thread = threading.Thread(
        target=lambda: serve(listener, SPECS, server=0, servers=1, workers=1, staleness=0, seed=0, check=alone)
    )
    thread.start()
    tables = client(transport, [listener.address])
    W = tables.table("W")
    assert W.get(3) is W.get(3)
    assert W.get() is W.get()
    before = W.get()
    W.inc(3, np.ones(2))
    assert W.get(3)[0] == 1
    assert before[3, 0] == 0, "what was handed out stands"
    tables.finish()
    thread.join()


def test_how_stale_reads_were_is_known() -> None:
    transport = MemoryTransport(Exchange())
    listener = transport.listen()
    thread = threading.Thread(
        target=lambda: serve(listener, SPECS, server=0, servers=1, workers=2, staleness=2, seed=0, check=alone)
    )
    thread.start()
    fast, slow = (
        Client(
            Alone(lambda _: None, alone), transport, connect(transport, [listener.address], w), SPECS,
            worker=w, staleness=2, deadline=60.0,
        )
        for w in (0, 1)
    )  # fmt: skip
    fast.table("W").get()
    assert fast.staleness_seen == 0
    for _ in range(2):
        fast.clock()
    fast.table("W").get()
    fast.table("W").get([3, 1])
    assert (fast.staleness_seen, slow.staleness_seen) == (2, 0)
    for one in (fast, slow):
        one.finish()
    thread.join()


@pytest.mark.parametrize("mark", [None, 1, 2])
def test_what_belongs_into_a_checkpoint_does_not_wait(mark: int | None) -> None:
    transport = MemoryTransport(Exchange())
    listener = transport.listen()
    company = Alone(lambda _: None, alone)
    company.mark = None if mark is None else (mark, "somewhere")
    tables = Client(
        company, transport, connect(transport, [listener.address], 0), [TableSpec("W", (10, 4), staleness=5)],
        worker=0, staleness=0, managed=Managed(bandwidth=1000.0),
    )  # fmt: skip
    tables.table("W").inc(None, np.ones((10, 4)))
    tables.clock()
    came = listener.recv()
    assert (came is not None) == (mark == 1), "only at the clock of the checkpoint"
    if came is not None:
        assert isinstance(came[1], EndClock)
        assert came[1].clock == 0
        assert sum(patch.values.sum() for patch in came[1].patches) == 40
