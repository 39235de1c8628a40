"""The bench of managed communication: what its rows say, and that it runs."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.bench.learning import PROBLEMS
from yarnml.bench.managed import rows
from yarnml.bench.team import Curve, Team, Trial
from yarnml.comm.company import Alone
from yarnml.ps import local_client


def curve(bytes_: float) -> Curve:
    clocks = np.arange(1, 101).astype(np.float64)
    return Curve(0.1 * clocks, 1 / clocks, bytes_ * clocks, np.zeros(100))


def test_rows_compare_bytes_to_the_loss() -> None:
    found = rows("mf", {"clock": curve(1e6), "magnitude": curve(4e5), "fifo": curve(6e5)})
    assert [row.ratio for row in found] == pytest.approx([0.4, 1, 0.6, 1])
    assert [row.holds for row in found] == [True, None, None, None]
    assert rows("mf", {"clock": curve(1e6), "magnitude": curve(6e5)})[0].holds is False


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_are_solved(name: str) -> None:
    problem = PROBLEMS[name]()
    tables = local_client(problem.tables(), seed=0, company=Alone(lambda _: None, lambda: None))

    def loss() -> float:
        return problem.loss({spec.name: tables.table(spec.name).get() for spec in problem.tables()})

    before = loss()
    for clock in range(100):
        for table, rows_, delta in problem.step(tables, clock % 2, 2, clock):
            tables.table(table).inc(rows_, delta)
        tables.clock()
    assert loss() < 0.99 * before


def test_a_team_plays_trial_after_trial() -> None:
    team = Team("mf", workers=2)
    try:
        for order in ("clock", "magnitude"):
            seen = team.play(
                Trial(problem="mf", staleness=2, clocks=5, clock=0.0, workers=2, bandwidth=4e5, order=order)
            )
            assert len(seen.loss) == 5
            assert np.isfinite(seen.loss).all()
            assert (np.diff(seen.bytes_) >= 0).all()
    finally:
        team.close()
