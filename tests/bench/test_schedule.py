"""The bench of schedules: what its rows say of trials, and a problem in which uniform picks are slow."""

from __future__ import annotations

import json

import numpy as np
import pytest

from yarnml.bench.correlated import Problem
from yarnml.bench.runner import as_json
from yarnml.bench.schedule import CHECKED, PRIORITY, UNIFORM, WIDTHS, Trial, curves, play, rows
from yarnml.sched import Independent, Priority, Uniform


def trials(uniform: float) -> dict[tuple[str, int], Trial]:
    return {
        (name, n): Trial(updates, updates / 10, objective)
        for n in WIDTHS
        for name, updates, objective in ((UNIFORM, uniform, 1.0), (PRIORITY, np.inf, 1e9), (CHECKED, 100.0, 1.0))
    }


@pytest.mark.parametrize(("uniform", "holds"), [(1000.0, True), (999.0, False), (np.inf, True)])
def test_the_check_takes_a_tenth_of_the_updates(uniform: float, holds: bool) -> None:
    found = rows(trials(uniform))
    assert [row.holds for row in found if row.holds is not None] == [holds, True]
    json.loads(as_json("schedule", found))


def test_one_that_diverges_leaves_a_gap() -> None:
    found = curves(trials(1000.0), "updates")
    assert np.isnan(found[PRIORITY][1]).all()
    assert found[CHECKED][1].tolist() == [2.0] * len(WIDTHS)


def test_a_small_one() -> None:
    """1,000 columns in blocks of 20, by 64 at once."""
    problem = Problem.made(400, 1_000, 20, 3)
    least = problem.least()
    checked, priority = (
        play(problem, policy, least, 60_000)
        for policy in (Priority(64) | Independent(problem.columns, rho=0.5), Priority(64))
    )
    assert least < checked.objective * least <= 1.001 * least
    assert priority.updates == np.inf
    uniform = play(problem, Uniform(8), least, 60_000)
    assert 4 * checked.updates < uniform.updates < np.inf
