"""A worker's memory: what it keeps of tables stays within the limit, whatever it reads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conformance.test_table import in_threads
from yarnml.comm.company import Alone
from yarnml.errors import UsageError
from yarnml.ps import Client, Tables, TableSpec, connect, serve
from yarnml.ps.client.cache import LEAST, Cache
from yarnml.ps.client.limit import limits
from yarnml.wire.memory import Exchange, MemoryTransport
from yarnml.wire.message import Release, Rows


def kept(thing: Any, seen: set[int]) -> int:
    """Bytes of all arrays that can be reached from it, each once."""
    if id(thing) in seen or isinstance(thing, type | Callable):
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return kept(thing.base, seen) if isinstance(thing.base, np.ndarray) else thing.nbytes
    if isinstance(thing, dict):
        return sum(kept(each, seen) for each in thing.values())
    if isinstance(thing, list | tuple | set):
        return sum(kept(each, seen) for each in thing)
    names = [*getattr(thing, "__dict__", ()), *getattr(thing, "__slots__", ())]
    return sum(kept(getattr(thing, name), seen) for name in names)


def an_epoch(rows: int, *, part: float, batch: int, staleness: int) -> None:
    """Two workers read each of the rows once, in an order of their own, and add 1 to it."""
    spec = TableSpec("W", (rows, 16))
    most = 0

    def doing(tables: Tables, worker: int) -> None:
        nonlocal most
        W = tables.table("W")
        order = np.random.default_rng(worker).permutation(rows)
        for first in range(0, rows, batch):
            some = np.sort(order[first : first + batch])
            W.prefetch(some)
            read = W.get(some)
            assert read.shape == (len(some), 16)
            assert (read[:, 0] <= 1).all()
            W.inc(some, np.ones_like(read))
            assert (W.get(some) >= 1).all()
            tables.clock()
            most = max(most, kept(W.cache, set()))  # type: ignore[attr-defined]
        assert W.get(int(order[0]))[0] >= 1
        tables.end()
        for first in range(0, rows, rows // 3):
            assert (W.get(slice(first, min(rows, first + rows // 3))) == 2).all()

    in_threads([spec], doing, workers=2, servers=3, staleness=staleness, cache=f"{100 * part:g}%")
    own_increments = (2 * staleness + 2) * batch * (16 * 4 + 8)  # what readings may lack, and is no cache
    assert most <= part * rows * 16 * 4 + own_increments


@pytest.mark.parametrize("staleness", [0, 2])
def test_an_epoch_of_random_rows(staleness: int) -> None:
    an_epoch(60_000, part=0.05, batch=1000, staleness=staleness)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_an_epoch_of_random_rows_full() -> None:
    an_epoch(2_000_000, part=0.05, batch=16_384, staleness=1)


def test_what_was_let_go_comes_again_and_is_pushed_no_more() -> None:
    transport = MemoryTransport(Exchange())
    listener = transport.listen()
    specs = [TableSpec("W", (1000, 4))]

    def server() -> None:
        serve(listener, specs, server=0, servers=1, workers=1, staleness=0, seed=0, check=lambda: None)

    thread = threading.Thread(target=server)
    thread.start()
    company = Alone(lambda _: None, lambda: None)
    channel = _Watched(connect(transport, [listener.address], 0)[0])
    client = Client(company, transport, [channel], specs, worker=0, staleness=0, cache="2%", deadline=60.0)  # type: ignore[list-item]
    W = client.table("W")
    for i in range(300):
        W.get(i)
    W.inc(None, np.ones((1000, 4), np.float32))
    client.clock()
    assert sum(len(message.rows) for message in channel.sent if isinstance(message, Release)) >= 300 - LEAST
    assert W.get(0)[0] == 1
    assert W.get(299)[0] == 1
    pushed = [len(block) for rows in channel.came if not rows.seq for block in rows.values]
    assert sum(pushed) <= LEAST
    client.finish()
    thread.join()


class _Watched:
    """A channel that remembers what went over it."""

    def __init__(self, channel: Any) -> None:
        self.channel = channel
        self.sent: list[Any] = []
        self.came: list[Rows] = []

    @property
    def inbox(self) -> Any:
        return self.channel.inbox

    def send(self, message: Any) -> Any:
        self.sent.append(message)
        return self.channel.send(message)

    def recv(self, timeout: float = 0.0) -> Any:
        message = self.channel.recv(timeout)
        if isinstance(message, Rows):
            self.came.append(message)
        return message

    def close(self) -> None:
        self.channel.close()


@pytest.mark.parametrize("cache", [None, "10%"])
def test_what_was_asked_for_ahead_comes_while_the_worker_computes(cache: str | None) -> None:
    transport = MemoryTransport(Exchange())
    listener = transport.listen()
    specs = [TableSpec("W", (1000, 4))]

    def server() -> None:
        serve(listener, specs, server=0, servers=1, workers=1, staleness=0, seed=0, check=lambda: None)

    thread = threading.Thread(target=server)
    thread.start()
    company = Alone(lambda _: None, lambda: None)
    channel = _Watched(connect(transport, [listener.address], 0)[0])
    client = Client(company, transport, [channel], specs, worker=0, staleness=0, cache=cache, deadline=60.0)  # type: ignore[list-item]
    W = client.table("W")
    ahead: list[Any] = [slice(5, 9), np.array([20, 30, 40]), 7]
    for rows in ahead:
        W.prefetch(rows)
    asked = len(channel.sent)
    assert transport.wait([channel.channel], 60)
    for rows in ahead:
        W.get(rows)
    assert len(channel.sent) == asked
    client.finish()
    thread.join()


def test_an_answer_from_before_a_release_holds_nothing() -> None:
    """The server, which believed the release, may have left changes of the row out of a push that came in between."""
    cache = Cache(TableSpec("W", (100, 2), staleness=0), 1, limit=0)
    rows = np.arange(8)
    one = np.ones((8, 2), np.float32)

    def answer(seq: int, some: np.ndarray[Any, Any]) -> Rows:
        return Rows(table=0, rows=some, values=(one[: len(some)],), seq=seq, read=-1, number=seq)

    from yarnml.ps.keys import Key

    key = Key(0, 0, rows)
    (first,) = cache.wants(key)
    cache.asked(1, first)
    for i in range(3):  # others take the slots
        for want in cache.wants(Key(0, 0, rows + 8 * (i + 1))):
            cache.asked(100 + i, want)
    assert [len(gone) for _, gone in cache.let_go()] == [16]
    (second,) = cache.wants(key)
    cache.asked(2, second)
    cache.handle(0, answer(1, rows))
    assert not cache.fresh(key)
    cache.handle(0, answer(2, rows))
    assert cache.fresh(key)


def test_limits() -> None:
    specs = [TableSpec("a", (100, 10)), TableSpec("b", (300, 10))]
    assert limits(None, specs) == [None, None]
    assert limits("5%", specs) == [200, 600]
    assert limits("1KiB", specs) == [256, 768]
    assert limits("0.5 MiB", specs) == [1 << 17, 3 << 17]
    for wrong in ("5", "0%", "-1%", "5 apples", "%"):
        with pytest.raises(UsageError, match="--cache"):
            limits(wrong, specs)
