"""Policies: what composes, and what fixed ones say round by round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnml.errors import UsageError
from yarnml.sched import Balance, Chosen, Independent, Picks, Priority, Rotation, RoundRobin, Uniform


def columns(numbers: np.ndarray) -> np.ndarray:
    return np.zeros((1, len(numbers)))


def test_filters_compose_in_any_order() -> None:
    one, other = Independent(columns), Balance(np.ones(9))
    for policy in (Priority(4) | one | other, Uniform(4) | other | one):
        assert (policy.independent, policy.balance) == (one, other)


def test_what_is_fixed_can_not_be_put_off() -> None:
    with pytest.raises(UsageError, match=r"Rotation \| Independent"):
        Rotation() | Independent(columns)


@pytest.mark.parametrize(
    "make", [lambda: Priority(0), lambda: Priority(4, 0.0), lambda: Priority(4, 2.0), lambda: Uniform(0)]
)
def test_what_makes_no_sense(make: object) -> None:
    with pytest.raises(UsageError, match="n is at least 1"):
        make()  # type: ignore[operator]


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 6))
def test_rotation_brings_each_worker_to_each_parameter_and_no_two_at_once(n: int, workers: int) -> None:
    seen = np.zeros((workers, n), np.int64)
    for number in range(workers):
        picks = Rotation().picks(number, n, workers)
        assert sorted(picks.numbers.tolist()) == list(range(n))
        for worker in range(workers):
            seen[worker, picks.of(worker)] += 1
    assert (seen == 1).all()


@settings(deadline=None)
@given(st.integers(0, 20), st.integers(1, 30))
def test_round_robin_takes_turns(n: int, k: int) -> None:
    taken = np.concatenate([RoundRobin(k).picks(number, n, 2).numbers for number in range(12)])
    assert taken.tolist() == [i % n for i in range(len(taken))]


def test_chosen_asks() -> None:
    assert Chosen(lambda number: np.arange(number)).picks(3, 9, 2).numbers.tolist() == [0, 1, 2]


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), max_size=20), st.integers(1, 4))
def test_balance(cost: list[int], workers: int) -> None:
    """Nobody has more than the costliest pick above who has least, and each pick is taken once."""
    picks = Balance(np.array(cost, np.int64)).share(np.arange(len(cost)), workers)
    assert sorted(picks.numbers.tolist()) == list(range(len(cost)))
    loads = [sum(cost[i] for i in picks.of(worker)) for worker in range(workers)]
    assert max(loads) - min(loads) <= max(cost, default=0)


def test_all_take_all_where_nothing_is_shared_out() -> None:
    assert Picks(np.arange(3)).of(1).tolist() == [0, 1, 2]
