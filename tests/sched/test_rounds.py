"""The loop of rounds, over several workers in threads that meet: all run the same, whatever the policy and depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.app.together import Together, together
from tests.sched.alone import Alone
from yarnml.errors import UsageError
from yarnml.sched import (
    Balance,
    Chosen,
    Independent,
    Index,
    ModelParallel,
    Policy,
    Priority,
    Rotation,
    Round,
    RoundRobin,
    Source,
    Uniform,
    added,
    joined,
    rounds,
)

RNG = np.random.default_rng(3)
ROWS, N = 60, 12
X = RNG.standard_normal((ROWS, N)) + 2 * np.repeat(RNG.standard_normal((ROWS, N // 3)), 3, axis=1)
y = X @ RNG.standard_normal(N)
SQUARE = (X**2).sum(axis=0)


class Least(ModelParallel):
    """Least squares by coordinates; a worker has every W-th row, or, of its own picks, all rows."""

    def __init__(self, me: Alone, policy: Policy | Source) -> None:
        self.parameters, self.me, self.policy = N, me, policy
        said = policy if isinstance(policy, Policy) else Policy(policy)
        self.own = isinstance(said.source, Rotation) or said.balance is not None
        self.w = me.state("w", np.zeros(N), "all")
        self.mine: list[Index] = []

    def schedule(self) -> Policy | Source:
        return self.policy

    def update(self, picks: Index) -> np.ndarray[Any, Any]:
        self.mine.append(picks)
        rows = slice(None) if self.own else slice(self.me.index, None, self.me.workers)
        found: np.ndarray[Any, Any] = X[rows][:, picks].T @ (y - X @ self.w)[rows]
        return found

    def aggregate(self, parts: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        return joined(parts) if self.own else added(parts)

    def apply(self, picks: Index, total: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        steps: np.ndarray[Any, Any] = total / SQUARE[picks] / max(1, len(picks) if self.own else 1)
        self.w[picks] += steps
        return steps

    def loss(self) -> float:
        return float(((y - X @ self.w) ** 2).sum())


def columns(numbers: Index) -> np.ndarray[Any, Any]:
    return X[:, numbers]


def one(number: int) -> Index:
    return np.array([number * 5 % N])


POLICIES: list[Policy | Source] = [
    Priority(6) | Independent(columns, rho=0.5),
    Uniform(3) | Independent(columns, rho=0.5) | Balance(np.arange(N)),
    RoundRobin(1),
    RoundRobin(4) | Balance(np.arange(N)),
    Rotation(),
    Chosen(one),
]


def trace(done: Sequence[Round]) -> list[Any]:
    return [(r.number, r.picks.tolist(), r.moved.tolist(), r.put_off.tolist()) for r in done]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: type(getattr(p, "source", p)).__name__)
def test_all_workers_run_the_same_rounds_to_the_minimum(policy: Policy | Source, workers: int) -> None:
    def work(index: int, company: Together) -> tuple[list[Any], list[Index], float]:
        me = Alone(index, workers, gather=company.gather)
        least = Least(me, policy)
        begin = least.loss()
        done = list(rounds(me, least, 400))
        assert me.clock_now == len(done) == 400
        return trace(done), least.mine, least.loss() / begin

    found = together(workers, work)
    for rounds_, mine, loss in found:
        assert rounds_ == found[0][0]
        assert loss < 1e-2
        assert len(mine) == 400
    for number, (_, picks, _, _) in enumerate(found[0][0]):
        parts = [mine[number].tolist() for _, mine, _ in found]
        if isinstance(policy, Rotation) or (isinstance(policy, Policy) and policy.balance is not None):
            assert [n for part in parts for n in part] == picks
        else:
            assert parts == [picks] * workers


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_work_that_is_entered_again_goes_on_to_the_same_rounds(depth: int) -> None:
    def work(index: int, company: Together, halves: Sequence[int]) -> list[Any]:
        me = Alone(index, 2, gather=company.gather)
        least: list[Round] = []
        for until in halves:
            algorithm = Least(me, POLICIES[0])
            least += rounds(me, algorithm, until, depth=depth, objective=algorithm.loss)
        return trace(least)

    whole = together(2, lambda index, company: work(index, company, [40]))
    broken = together(2, lambda index, company: work(index, company, [7, 8, 25, 40]))
    assert broken == whole
    assert broken[0] == broken[1]


def test_the_width_follows_the_objective() -> None:
    me = Alone()
    up = iter(range(100))
    done = list(rounds(me, Least(me, Uniform(6)), 6, objective=lambda: float(next(up))))
    assert len(done[1].picks) == 6
    assert len(done[-1].picks) == 1
    assert [r.objective for r in done] == [0, 1, 2, 3, 4, 5]


def test_rounds_end_at_stop() -> None:
    me = Alone()
    for done in rounds(me, Least(me, RoundRobin(1))):
        me.stop = done.number == 4
    assert me.clock_now == 5


def test_of_one_name_are_rounds_of_one_kind() -> None:
    me = Alone()
    least = Least(me, Priority(4))
    assert len(list(rounds(me, least, 3))) == 3
    with pytest.raises(
        UsageError, match=r"'rounds' were of 12 parameters, drawn, and now are of 12 .*, in a fixed order"
    ):
        list(rounds(me, Least(me, RoundRobin(1)), 6))
    least.parameters = 9
    with pytest.raises(UsageError, match="and now are of 9 parameters, drawn; give these another name"):
        list(rounds(me, least, 6))
    least.parameters = 12
    assert [r.number for r in rounds(me, least, 6, name="more")] == [0, 1, 2]
    assert [r.number for r in rounds(me, Least(me, Uniform(6)), 9, depth=2)] == [3, 4, 5]
