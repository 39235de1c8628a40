"""Rounds in real runs: one worker, several processes, and one of them killed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from tests.launch.test_recovery import W1, WAIT, Running, survives
from yarnml import checkpoints
from yarnml.app import load_app
from yarnml.comm.effects import Setback
from yarnml.job import Job
from yarnml.launch import InlineLauncher
from yarnml.prepare import prepare
from yarnml.runs import RunDir

APP = str(Path(__file__).parent.parent / "rounds")
MakeJob = Callable[..., Job]


@pytest.fixture(scope="module")
def least(make: MakeJob) -> float:
    X, y = (x.astype(np.float64) for x in data())
    w = Lasso(0.05, fit_intercept=False, tol=1e-9, max_iter=100_000).fit(X, y).coef_
    return float(((y - X @ w) ** 2).mean() / 2 + 0.05 * np.abs(w).sum())


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> MakeJob:
    """Makes jobs on 90 rows of 24 columns, every 4 of them alike."""
    folder = tmp_path_factory.mktemp("rounds")
    X, y = data()
    names = ",".join(f"x{j}" for j in range(X.shape[1]))
    lines = [",".join(map(repr, row)) for row in np.column_stack([X, y]).tolist()]
    (folder / "train.csv").write_text("\n".join([f"{names},y", *lines]) + "\n")

    def make(**options: Any) -> Job:
        usual = {"data": f"{folder}/train.csv", "label": "y", "runs": str(folder)}
        RunDir.create(job := prepare(load_app(APP), {**usual, **options}))
        return job

    return make


def data() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 24)) + 2 * np.repeat(rng.standard_normal((90, 6)), 4, axis=1)
    return X.astype(np.float32), (X[:, ::5] @ rng.standard_normal(5) + 0.1 * rng.standard_normal(90)).astype(np.float32)


def undisturbed(make: MakeJob, options: dict[str, Any]) -> Job:
    job = make(**options)
    outcome = Running(job).end()
    assert outcome.ok, outcome.message
    return job


@pytest.mark.parametrize(("options", "near"), [({}, 1e-5), ({"depth": 2, "policy": "balance"}, 1e-2)], ids=str)
def test_two_workers_solve_it(make: MakeJob, least: float, options: dict[str, Any], near: float) -> None:
    outcome = Running(make(workers=2, rounds=400, **options)).end()
    assert outcome.ok, outcome.message
    assert outcome.result is not None
    assert outcome.result["objective"] == pytest.approx(least, rel=near)


@pytest.mark.parametrize("policy", ["priority", "rotation"])
def test_one_worker_solves_it(make: MakeJob, least: float, policy: str) -> None:
    outcome = InlineLauncher().start(make(policy=policy, rounds=1500), lambda _: None).wait(WAIT)
    assert outcome is not None
    assert outcome.ok, outcome.message
    assert outcome.result is not None
    assert outcome.result["objective"] == pytest.approx(least, rel=1e-5)


def test_another_number_of_workers_goes_on(make: MakeJob, least: float) -> None:
    first = Running(make(workers=2, rounds=10_000, pause=0.02, checkpoint_every=0.2))
    first.at(30)
    end = time.monotonic() + WAIT
    while checkpoints.latest(first.job.url) is None:
        assert time.monotonic() < end
        first.at(0)
    first.handle.kill()
    RunDir(first.job.url).end(first.end().state)
    again = make(resume=first.job.url, workers=3, rounds=400, pause=0.0)
    assert again.resume_clock > 0
    outcome = Running(again).end()
    assert outcome.ok, outcome.message
    assert outcome.result is not None
    assert outcome.result["objective"] == pytest.approx(least, rel=1e-5)


@pytest.mark.parametrize("depth", [pytest.param(0, marks=pytest.mark.full), 2])
def test_a_killed_worker_changes_no_bit(make: MakeJob, depth: int) -> None:
    options = {"workers": 2, "rounds": 60, "depth": depth}
    picked, w = (np.load(f"{undisturbed(make, options).url}/model/{name}.npy") for name in ("picked", "w"))
    running = Running(make(**options, pause=0.05, checkpoint_every=0.2))
    survives(running, (W1, 30))
    [back] = [news for news in running.news if isinstance(news, Setback)]
    assert back.clock > 0
    np.testing.assert_array_equal(np.load(f"{running.job.url}/model/picked.npy"), picked)
    np.testing.assert_array_equal(np.load(f"{running.job.url}/model/w.npy"), w)
