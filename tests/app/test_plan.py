"""A plan takes every row once a pass, gives all workers equally many clocks, and depends on numbers alone."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.app.plan import Plan, usual_batch, usual_epochs


@pytest.mark.parametrize(
    ("rows", "share", "batch"), [(100, 50, 10), (101, 7, 10), (5, 0, 2), (3, 1, 100), (64, 64, 64)]
)
def test_every_row_once_a_pass(rows: int, share: int, batch: int) -> None:
    plan = Plan(rows, share, batch, seed=1, first=0)
    for epoch in range(3):
        order = plan.order(epoch)
        taken = [row for number in order for row in range(*plan.piece(int(number)).indices(share))]
        assert sorted(taken) == list(range(share))
        assert len(order) == plan.steps
    assert sorted(plan.shuffle()) == list(range(share))


def test_shares_of_any_size_have_the_same_clocks_in_the_same_order() -> None:
    plans = [Plan(1000, share, 64, seed=3, first=first) for share, first in ((700, 0), (300, 700), (0, 1000))]
    assert {plan.steps for plan in plans} == {16}
    for epoch in range(2):
        np.testing.assert_array_equal(plans[0].order(epoch), plans[2].order(epoch))


def test_batches_are_of_the_asked_size_over_all_workers() -> None:
    plans = [Plan(1000, 500, 100, seed=0, first=0), Plan(1000, 500, 100, seed=0, first=500)]
    for number in range(10):
        assert sum(plan.piece(number).stop - plan.piece(number).start for plan in plans) == 100


def test_seed_worker_and_pass_change_the_order() -> None:
    base = Plan(1000, 1000, 10, seed=0, first=0)
    assert not np.array_equal(base.shuffle(), Plan(1000, 1000, 10, seed=1, first=0).shuffle())
    assert not np.array_equal(base.shuffle(), Plan(1000, 1000, 10, seed=0, first=5).shuffle())
    assert not np.array_equal(base.order(0), base.order(1))
    np.testing.assert_array_equal(base.order(1), Plan(1000, 1000, 10, seed=0, first=5).order(1))


def test_usual_batch_grows_with_the_data_between_bounds() -> None:
    assert [usual_batch(rows) for rows in (10, 20_000, 100_000, 10**9)] == [64, 200, 1000, 4096]


@pytest.mark.parametrize(
    ("rows", "batch", "epochs"),
    [
        (150, 64, 667),  # 3 clocks a pass
        (1500, 64, 84),
        (10_000, None, 20),  # 100 clocks a pass: the 20 passes make 2,000
        (10**6, None, 20),
        (10**6, 10**6, 20),  # a clock costs a pass: no more of them
        (0, None, 2000),
    ],
)
def test_usual_passes_make_enough_clocks_on_small_data(rows: int, batch: int | None, epochs: int) -> None:
    plan = Plan(rows, rows, batch or usual_batch(rows), seed=0, first=0)
    assert usual_epochs(rows, plan.steps) == epochs
