"""Managed communication: what is held back is counted once, in time, and by order; a budget is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.program import specs, work
from tests.conformance.test_table import in_threads
from tests.ps.test_consistency import tables
from tests.ps.world import World
from yarnml.ps import Assign, TableSpec
from yarnml.ps.budget import BURST, Budget
from yarnml.ps.client.backlog import Backlog
from yarnml.ps.client.cache import Cache
from yarnml.ps.client.outbox import Letter, Outbox
from yarnml.ps.client.posting import Posting
from yarnml.ps.managed import Managed, first, sizes
from yarnml.ps.patches import rows_of
from yarnml.ps.server.shard import Send, Shard
from yarnml.wire.message import ALL, Patch

ORDERS: list[Any] = ["magnitude", "random", "fifo"]
CLOCKS = 7


def a_history(specs: list[TableSpec], *, workers: int, servers: int, seed: int, managed: Managed, **more: Any) -> World:
    world = World(specs, workers=workers, servers=servers, seed=seed, managed=managed, **more)
    for _ in range(500):
        world.step(CLOCKS)
    world.finish(CLOCKS)
    return world


def play(data: st.DataObject, seed: int) -> None:
    workers = data.draw(st.integers(1, 4))
    a_history(
        data.draw(tables(workers)), workers=workers, servers=data.draw(st.integers(1, 3)), seed=seed,
        managed=Managed(bandwidth=data.draw(st.sampled_from([100.0, 1e6])), order=data.draw(st.sampled_from(ORDERS))),
        limit=data.draw(st.sampled_from([None, 0, 1500])), losses=data.draw(st.booleans()),
    )  # fmt: skip


@given(st.data(), st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_every_read_is_fresh_enough_and_counts_once(data: st.DataObject, seed: int) -> None:
    play(data, seed)


@pytest.mark.full
@pytest.mark.timeout(3000)
@given(st.data(), st.integers(0, 2**32))
@settings(max_examples=2000, deadline=None)
def test_every_read_is_fresh_enough_and_counts_once_full(data: st.DataObject, seed: int) -> None:
    play(data, seed)


class Early(Outbox):  # type: ignore[misc]  # breaking what is final is the point
    """Says that a clock has ended while increments of it wait."""

    def _letters(self, out: list[Patch]) -> list[Letter]:
        waits = {i: backlog._since for i, backlog in self.backlogs.items()}
        for backlog in self.backlogs.values():
            backlog._since = backlog._since + 1
        letters = super()._letters(out)
        for i, since in waits.items():
            self.backlogs[i]._since = since
        return letters


class Twice(Outbox):  # type: ignore[misc]
    """Sends again what there was room for."""

    def offer(self, room: float, norms: Any) -> list[Letter]:
        letters = super().offer(room, norms)
        for letter in letters:
            for patch in letter.patches:
                self.backlogs[patch.table].add([patch], self._clock)
        return letters


class Boastful(Shard):  # type: ignore[misc]
    """Says of a part that it is all."""

    def offer(self, room: float) -> list[Send]:
        return [Send(send.worker, replace(send.message, seq=ALL), send.loan) for send in super().offer(room)]


@pytest.mark.parametrize("broken", [Early, Twice, Boastful])
def test_the_judge_catches(broken: type, monkeypatch: pytest.MonkeyPatch) -> None:
    if issubclass(broken, Outbox):
        monkeypatch.setattr("tests.ps.miniature.Outbox", broken)
    shard = broken if issubclass(broken, Shard) else Shard
    some = [TableSpec("loose", (7, 3), staleness=1), TableSpec("wide", (30, 3), staleness=2)]

    def histories() -> None:
        for seed in range(40):
            a_history(some, workers=3, servers=2, seed=seed, managed=Managed(bandwidth=100), shard=shard)

    with pytest.raises(AssertionError):
        histories()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("bandwidth", "staleness"), [(1e9, 3), (2e4, 3), (1e6, None), (1e6, 0)])
def test_threads(order: Any, bandwidth: float, staleness: int | None) -> None:
    """Tables of each staleness in one run."""
    managed = Managed(bandwidth=bandwidth, order=order)
    in_threads(
        specs(3), lambda t, w: work(t, w, 3, staleness), workers=3, servers=2, staleness=staleness, managed=managed
    )


def test_rounded_increments_are_whole_in_the_end() -> None:
    spec = TableSpec("W", (50, 3), staleness=2, wire="float16")
    deltas = np.random.default_rng(0).random((12, 50, 3)).astype(np.float32)

    def doing(tables: Any, worker: int) -> None:
        for delta in deltas:
            tables.table("W").get()
            tables.table("W").inc(None, delta.copy())
            tables.clock()
        tables.end()
        np.testing.assert_allclose(tables.table("W").get(), 2 * deltas.sum(axis=0), rtol=1e-5)

    in_threads([spec], doing, workers=2, servers=1, staleness=0, managed=Managed(bandwidth=3e4))


def test_letters_leave_one_after_another() -> None:
    """To send may be to wait until a server has taken what came before, and who waits offers to send."""
    caches = [Cache(TableSpec("W", (9, 1), staleness=2), 3, managed=True)]
    under_way: list[Letter] = []
    sent: list[Letter] = []

    def tell(letter: Letter) -> tuple[int, int]:
        assert not under_way
        under_way.append(letter)
        posting.offer(1e6)
        sent.append(under_way.pop())
        return len(sent), 4

    posting = Posting(caches, Managed(bandwidth=1e6), worker=0, clock=0, now=0.0, tell=tell)
    posting.end_clock(0, [[Patch(0, 0, None, np.ones((9, 1), np.float32))]])
    assert not sent
    posting.offer(1.0)
    assert [letter.server for letter in sent] == [0, 1, 2]
    assert [letter.ends for letter in sent] == [0, 0, 0]
    assert posting.waiting(0) == []


def test_fewer_bytes_for_the_same_increments() -> None:
    """Rows that every clock adds to leave once in s + 1 clocks, where there is no room for more."""
    spec, clocks = TableSpec("W", (5000, 8), staleness=4), 20
    sent: dict[bool, int] = {}

    def doing(tables: Any, worker: int) -> None:
        W = tables.table("W")
        for clock in range(clocks):
            assert (W.get() >= clock).all()
            W.inc(None, np.ones(spec.shape, np.float32))
            tables.clock()
        tables.end()
        assert (W.get() == 2 * clocks).all()
        sent[managed is not None] = tables.sent_bytes + tables.received_bytes

    for managed in (None, Managed(bandwidth=2e6)):
        in_threads([spec], doing, workers=2, servers=2, staleness=0, managed=managed)
    assert sent[True] < sent[False] / 2


# ---- its parts


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_a_backlog_beside_a_dictionary(data: st.DataObject) -> None:
    backlog = Backlog(0, TableSpec("W", (12, 1), dtype="int64"), np.random.default_rng(0))
    model: dict[int, tuple[int, int]] = {}  # row -> (sum, oldest clock)

    def out(patches: list[Patch]) -> set[int]:
        gone = set()
        for patch in patches:
            for row, value in zip(rows_of(patch).tolist(), patch.values[:, 0].tolist(), strict=True):
                assert model.pop(row)[0] == value
                gone.add(row)
        return gone

    for clock in range(8):
        some = []
        for rows in data.draw(st.lists(st.sets(st.integers(0, 11), min_size=1), max_size=3)):
            at = np.array(sorted(rows))
            some.append(Patch(0, -1, at, np.full((len(at), 1), clock + 1)))
            for row in rows:
                total, since = model.get(row, (0, clock))
                model[row] = (total + clock + 1, since)
        backlog.add(some, clock)
        assert len(backlog) == len(model)
        assert backlog.oldest == min((since for _, since in model.values()), default=None)
        late = {row for row, (_, since) in model.items() if since <= clock - 3}
        assert out(backlog.due(clock - 3)) == late
        n, order = data.draw(st.integers(0, 12)), data.draw(st.sampled_from(ORDERS))
        weights = {
            row: {"magnitude": -total, "fifo": since, "random": 0}[order] for row, (total, since) in model.items()
        }
        gone = out(backlog.best(n, order, lambda rows: np.ones(len(rows), np.float32)))
        assert len(gone) == min(n, len(weights))
        stay = set(weights) - gone
        assert max((weights[row] for row in gone), default=-99) <= min((weights[row] for row in stay), default=99)
    out(backlog.settle())
    assert not model


def test_magnitude_is_relative_to_the_row() -> None:
    backlog = Backlog(0, TableSpec("W", (3, 2)), np.random.default_rng(0))
    backlog.add([Patch(0, 0, None, np.array([[1, 1], [1, 1], [3, 3]], np.float32))], 0)
    (best,) = backlog.best(1, "magnitude", lambda rows: np.array([10, 0.1, 10], np.float32))
    assert rows_of(best).tolist() == [1]
    (best,) = backlog.best(1, "magnitude", lambda rows: np.array([10, np.nan], np.float32))
    assert rows_of(best).tolist() == [2]


def test_what_replaces_is_merged_as_it_should_be() -> None:
    backlog = Backlog(0, TableSpec("A", (4, 1), function=Assign()), np.random.default_rng(0))
    for clock in range(3):
        backlog.add([Patch(0, 1, None, np.full((2, 1), clock, np.float32))], clock)
    (patch,) = backlog.settle()
    assert patch.values[:, 0].tolist() == [2, 2]


@given(st.integers(1, 20), st.integers(0, 20), st.sampled_from(ORDERS))
def test_first_keeps_the_rows_order(n: int, many: int, order: Any) -> None:
    rng = np.random.default_rng(n)
    size, age = rng.random(many), rng.integers(0, 5, many)
    at = first(order, n, size=size, age=age, rng=rng)
    assert len(at) == min(n, many)
    assert (np.diff(at) > 0).all()


def test_sizes() -> None:
    np.testing.assert_allclose(sizes(np.array([[3, 4], [0, 0]])), [5, 0])


@given(st.lists(st.tuples(st.floats(0, 5), st.integers(0, 300)), max_size=40))
def test_a_budget_is_kept(events: list[tuple[float, int]]) -> None:
    """Whoever sends only what is left, and then waits as told, never sends more than rate * time + a burst."""
    now, sent, rate = 0.0, 0.0, 100.0
    budget = Budget(rate, now)
    for idle, size in events:
        now += idle
        if budget.left(now) >= size:
            budget.spend(size)
            sent += size
        assert sent <= rate * now + 1e-6
        assert budget.seconds(now, size) <= size / rate + 1e-9
        if size <= BURST * rate:
            assert budget.left(now + budget.seconds(now, size)) >= size - 1e-6
    budget.spend(1000)
    assert not budget.affords(now)
    assert budget.affords(now + 1000 / rate)
