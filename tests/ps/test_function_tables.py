"""Functions in tables: what a worker sees of its own, what several workers' increments make, and how late they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.conformance.test_table import ALONE, in_threads
from yarnml.errors import UsageError
from yarnml.kernels import steps
from yarnml.ps import (
    L1,
    AdaGrad,
    AdaRevision,
    Add,
    Function,
    Increment,
    Max,
    Min,
    NonNegative,
    Simplex,
    Tables,
    TableSpec,
    Then,
    constant,
    imported,
    local_client,
)
from yarnml.ps.functions.function import Where
from yarnml.ps.server.seen import Seen
from yarnml.ps.server.shard import Shard
from yarnml.ps.spec import resolve
from yarnml.wire.message import EndClock, Get, Hello, Increments, Patch

Array = np.ndarray[Any, Any]


@pytest.mark.parametrize("staleness", [0, 2, None])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_the_least_of_all_workers_and_at_once_ones_own(dtype: str, staleness: int | None) -> None:
    specs = [
        TableSpec("least", (9, 2), dtype, init=constant(100), function=Min()),
        TableSpec("most", (9, 2), dtype, init=constant(-100), function=Max()),
    ]
    ends: list[Array] = []

    def doing(tables: Tables, worker: int) -> None:
        least, most = tables.table("least"), tables.table("most")
        for clock in range(4):
            x = 10 * worker - clock
            for table, sign in ((least, 1), (most, -1)):
                table.inc(np.array([3, 1, 3]), np.full((3, 2), sign * x, dtype))
                table.inc(3, np.full(2, sign * (x + 5), dtype))  # changes nothing
                table.inc(slice(2, 6), np.full((4, 2), sign * (x + 1), dtype))
                assert (sign * table.get(3) <= x).all()
                assert (sign * table.get(np.array([2, 3]))[0] <= x + 1).all()
            tables.clock()
        tables.end()
        ends.append(np.hstack([least.get(), -most.get()]))

    in_threads(specs, doing, workers=3, servers=2, staleness=staleness)
    doing(local_client(specs, seed=0, company=ALONE), 0)
    expected = np.full((9, 4), 100)
    expected[2:6], expected[[1, 3]] = -2, -3
    for end in ends:
        np.testing.assert_array_equal(end, expected)


STEPS = [
    Then(Add(), NonNegative()),
    Then(Add(), Simplex()),
    Then(AdaGrad(0.5), L1(0.05)),
    Then(Then(AdaRevision(0.5), L1(0.05)), NonNegative()),
]


@pytest.mark.parametrize("function", STEPS, ids=str)
def test_at_staleness_0_the_sum_is_applied_once_and_then_what_follows(function: Function) -> None:
    """Three workers of a third each are one worker; projected one by one they would not be."""
    spec = TableSpec("W", (8, 3), "float64", init=constant(0.1), function=function)
    ends: dict[int, Array] = {}

    def doing(tables: Tables, workers: int) -> None:
        for clock in range(5):
            tables.table("W").get()
            g = np.random.default_rng(clock).normal(size=(8, 3))
            tables.table("W").inc(None, g / workers)
            tables.table("W").inc(np.array([2, 7]), np.ones((2, 3)) / workers)
            tables.clock()
        ends[workers] = tables.table("W").get().copy()

    in_threads([spec], lambda tables, _: doing(tables, 3), workers=3, servers=2, staleness=0)
    doing(local_client([spec], seed=0, company=ALONE), 1)
    np.testing.assert_allclose(ends[3], ends[1], rtol=1e-9, atol=1e-12)


@dataclass(frozen=True)
class Momentum(Function):
    """Polyak 1964: v <- mu v + g;  w <- w - lr v. A user's own."""

    lr: float
    mu: float = 0.9
    extra: int = 0  # rows of state too many

    local: ClassVar[bool] = False

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> dict[str, Array]:
        return {"v": np.zeros((shape[0] + self.extra, shape[1]), dtype)}

    def apply(self, values: Array, state: dict[str, Array], inc: Increment) -> None:
        state["v"][inc.rows] = self.mu * state["v"][inc.rows] + inc.delta
        values[inc.rows] -= self.lr * state["v"][inc.rows]


def test_a_function_of_a_users_own() -> None:
    own = imported(f"{__name__}:Momentum", '{"lr": 0.5}')
    ends: list[Array] = []

    def doing(tables: Tables, worker: int) -> None:
        for _ in range(3):
            tables.table("W").inc(np.array([0, 4]), np.ones((2, 2), np.float32))
            tables.clock()
        ends.append(tables.table("W").get().copy())

    in_threads([TableSpec("W", (5, 2), function=own)], doing, workers=2, servers=3, staleness=0)
    v = np.cumsum(2 * 0.9 ** np.arange(3))
    for end in ends:
        np.testing.assert_allclose(end[[0, 4]], -0.5 * v.sum(), rtol=1e-6)
        assert not end[1:4].any()
    with pytest.raises(UsageError, match=r"'W' of function .*its state 'v' must be the rows'"):
        TableSpec("W", (5, 2), function=imported(f"{__name__}:Momentum", {"lr": 0.5, "extra": 1}))


# ---- how late a gradient is

LATE = TableSpec("t", (6, 2), "float64", function=AdaRevision(0.5), staleness=1)


class Late:
    """A shard of two workers, beside the algorithm by itself."""

    def __init__(self, spec: TableSpec = LATE) -> None:
        self.shard = Shard(resolve([spec], 0), server=0, servers=1, workers=2, seed=0)
        self.state = [np.zeros((6, 2)), np.zeros((6, 2)), np.ones((6, 2)), np.ones((6, 2))]  # w, S, z, zmax
        self.clocks = [0, 0]
        self.requests = 0

    def read(self, worker: int, where: Where) -> Array:
        """What the worker is sent of these rows; returns the sum of gradients that is in it."""
        self.requests += 1
        asked: dict[str, Any] = {"rows": where}
        if isinstance(where, slice):
            asked = {"start": where.start, "stop": where.stop}
        assert self.shard.handle(Get(sender=worker, seq=self.requests, table=0, read=-1, **asked))
        return self.state[1][where].copy()

    def add(self, worker: int, where: Where, g: Array, seen: Array) -> None:
        listed = np.arange(6)[where]
        patch = Patch(0, -1, where, g) if isinstance(where, np.ndarray) else Patch(0, where.start, None, g)
        clock = self.clocks[worker]
        self.shard.handle(EndClock(sender=worker, seq=clock + 1, clock=clock, patches=(patch,)))
        self.clocks[worker] += 1
        S = self.state[1]
        steps.adarevision_rows_numpy(S=S, w=self.state[0], z=self.state[2], zmax=self.state[3], rows=listed, g=g,
                                     seen=seen, lr=0.5)  # fmt: skip

    def check(self) -> None:
        (send,) = self.shard.handle(Get(sender=0, seq=99, table=0, start=0, stop=6, read=-1))
        message: Any = send.message
        np.testing.assert_allclose(message.values[0], self.state[0], rtol=1e-12)


def g(seed: int, n: int) -> Array:
    return np.random.default_rng(seed).normal(size=(n, 2))


def test_a_gradient_knows_what_came_between_its_reading_and_itself() -> None:
    late = Late()
    whole, some = slice(0, 6), np.array([1, 4])
    mine, theirs = late.read(0, whole), late.read(1, some)
    late.add(1, some, g(0, 2), theirs)
    late.add(0, whole, g(1, 6), mine)  # made before worker 1's came
    assert (late.state[1] != 0).all()
    again = late.read(1, slice(3, 6))
    late.add(0, whole, g(2, 6), late.state[1].copy())  # in a clock in which it has read nothing
    late.add(1, np.array([2, 4, 5]), g(3, 3), np.vstack([late.state[1][2], again[1:]]))
    late.check()


def test_who_reads_a_row_twice_in_a_clock_builds_on_the_later_reading() -> None:
    late = Late()
    early = late.read(0, slice(0, 4))
    late.add(1, slice(0, 6), g(0, 6), late.read(1, slice(0, 6)))
    later = late.read(0, np.array([1, 5]))
    late.add(1, slice(0, 6), g(1, 6), late.read(1, slice(0, 6)))
    late.add(0, np.array([0, 1, 5]), g(2, 3), np.vstack([early[0], later]))
    late.check()


def test_a_worker_that_was_replaced_has_read_nothing() -> None:
    late = Late()
    late.read(0, slice(0, 6))
    late.add(1, slice(0, 6), g(0, 6), late.read(1, slice(0, 6)))
    late.shard.handle(Hello(sender=0, seq=1))
    late.add(0, slice(0, 6), g(1, 6), late.state[1].copy())
    late.check()


def test_of_an_unbounded_table_it_holds_for_the_whole_clock() -> None:
    late = Late(TableSpec("t", (6, 2), "float64", function=AdaRevision(0.5), staleness=None))
    seen = late.read(0, slice(0, 6))
    for seq in (1, 2):
        late.shard.handle(Increments(sender=0, seq=seq, patches=(Patch(0, 0, None, g(seq, 6)),)))
        w, S, z, zmax = late.state
        steps.adarevision_rows_numpy(w, S, z, zmax, np.arange(6), g(seq, 6), seen, 0.5)
    late.check()


def test_readings_are_remembered_over_blocks() -> None:
    """Rows of a megabyte each, so that every one is a block of its own."""
    width = 1 << 18
    spec = TableSpec("t", (3, width), function=AdaRevision(1.0), staleness=1)
    shard = Shard(resolve([spec], 0), server=0, servers=1, workers=2, seed=0)
    shard.handle(Get(sender=0, seq=1, table=0, start=0, stop=3, read=-1))
    ones = np.ones((2, width), np.float32)
    shard.handle(EndClock(sender=1, seq=1, clock=0, patches=(Patch(0, 1, None, ones),)))
    shard.handle(EndClock(sender=0, seq=1, clock=0, patches=(Patch(0, -1, np.array([0, 2]), ones),)))
    (send,) = shard.handle(Get(sender=0, seq=2, table=0, start=0, stop=3, read=-1))
    message: Any = send.message
    got = [float(block[0, 0]) for block in message.values]
    np.testing.assert_allclose(got, [-1 / 2**0.5, -1 / 2**0.5, -2 / 5**0.5], rtol=1e-6)  # the last: z = 2 + 1 + 2


def test_seen_of_rows_that_were_not_read_is_now() -> None:
    seen = Seen()
    seen.note(slice(2, 4), np.array([[2.0], [3.0]]))
    seen.note(np.array([3, 8]), np.array([[33.0], [8.0]]))
    now = np.full((4, 1), -1.0)
    assert seen.at(np.array([1, 2, 3, 8]), now).ravel().tolist() == [-1, 2, 33, 8]
    assert seen.at(slice(3, 5), np.zeros((2, 1))).ravel().tolist() == [33, 0]
