"""The worker: batches over shares, early stopping at the same clock for all, numbers that don't depend on who asks."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hdfs_io import ReadOptions, Roles, Sample, scan
from tests.app.together import Together, together
from yarnml.app import Start, Worker, load_app
from yarnml.errors import RunFailed
from yarnml.job import Job, Part
from yarnml.ps import local_client

APP = """
from dataclasses import dataclass
import numpy as np
from yarnml.app import AppConfig
from yarnml.task import Regression

task = Regression()

@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    n: int = 3

def work(me, cfg): ...
def model(me, cfg): return {"c": np.array([me.clock_now], float)}
def predict(model, batch): return {"prediction": np.full(len(batch), model["c"][0])}
"""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "app.py").write_text(APP)
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(100)))
    data = scan(str(tmp_path / "data.csv"), ReadOptions(roles=Roles(label="y")), label="number")
    train, valid = Sample(0, 0.3, 1), Sample(0, 0, 0.3)
    return Job(
        run="r", runs=str(tmp_path), app=str(folder),
        train=Part(dataset=data, sample=train, rows=train.count(100)),
        valid=Part(dataset=data, sample=valid, rows=valid.count(100)),
    )  # fmt: skip


def worker(job: Job, index: int, company: Together, **changes: Any) -> Worker:
    return Worker(load_app(job.app), replace(job, **changes), index, local_client([], seed=0, company=company), company)


@pytest.mark.parametrize("workers", [1, 3, 120])
def test_every_row_once_a_pass_in_equally_many_clocks(job: Job, workers: int) -> None:
    def run(index: int, company: Together) -> tuple[int, list[list[float]]]:
        me = worker(job, index, company, workers=workers, valid=None)
        seen: list[list[float]] = [[], []]
        for batch in me.batches(16, 2):
            seen[batch.epoch] += batch.X[:, 0].tolist()  # type: ignore[index]
            me.clock()
        return me.clock_now, seen

    assert job.train is not None
    expected = sorted(np.flatnonzero(job.train.sample.mask(0, 100)).tolist())
    found = together(workers, run)
    assert {clocks for clocks, _ in found} == {2 * -(-job.train.rows // 16)}
    for epoch in range(2):
        assert sorted(row for _, seen in found for row in seen[epoch]) == expected


def test_goes_on_at_its_clock(job: Job) -> None:
    def run(index: int, company: Together) -> list[tuple[int, int]]:
        alone = replace(job, workers=1, valid=None)
        tables = local_client([], seed=0, company=company)
        me = Worker(load_app(job.app), alone, index, tables, company, Start(clock=6))
        steps = []
        for batch in me.batches(16, 2):
            steps.append((batch.epoch, batch.step))
            me.clock()
        return steps

    assert together(1, run) == [[(1, 1), (1, 2), (1, 3), (1, 4)]]


def test_a_batch_without_its_clock_is_an_error(job: Job) -> None:
    def run(index: int, company: Together) -> None:
        for _ in worker(job, index, company, workers=1).batches(16, 1):
            pass

    with pytest.raises(AssertionError, match=r"one me\.clock"):
        together(1, run)


@pytest.mark.parametrize("workers", [1, 3])
def test_stops_for_all_at_the_same_clock_and_keeps_the_best(job: Job, workers: int) -> None:
    """The model predicts the clock, labels are 0 to 6 (mean 3): with 2 clocks a pass, 4 fits best, after 2 passes."""

    def run(index: int, company: Together) -> tuple[int, float, int]:
        me = worker(job, index, company, workers=workers)
        for _ in me.batches(me.rows // 2 + 1, 50, patience=2):
            me.clock()
        assert me.passes.best is not None
        assert me.passes.best_pass is not None
        assert me.passes.best_pass == me.passes.best["c"][0] / 2
        rmse = me.passes.best.metrics["valid"]["rmse"]
        assert me.notes == [
            f"stopped after pass {me.clock_now // 2}: no gain since pass {me.passes.best_pass} (rmse {rmse:.4g})"
        ]
        assert [report["valid_rmse"] for report in company.reports][me.passes.best_pass - 1] == rmse
        return me.clock_now, float(me.passes.best["c"][0]), len(company.reports)

    found = together(workers, run)
    assert {(clock, best) for clock, best, _ in found} in ({(6, 2.0)}, {(8, 4.0)})
    assert all(reports >= 3 for _, _, reports in found)


def test_random_numbers_depend_on_seed_worker_and_clock_alone(job: Job) -> None:
    company = Together(0, [None], threading.Barrier(1))
    draws = {}
    for seed in (0, 1):
        for index in (0, 1):
            me = worker(job, index, company, workers=2, seed=seed)
            for clock in (0, 1):
                draws[seed, index, clock] = me.rng.random()
                assert me.rng.random() == draws[seed, index, clock]
                me.clock()
    assert len(set(draws.values())) == 8


def test_state_is_made_once(job: Job) -> None:
    me = worker(job, 0, Together(0, [None], threading.Barrier(1)))
    me.state("a", lambda: np.zeros(3))[1] = 5
    assert me.state("a", lambda: np.zeros(3)).tolist() == [0, 5, 0]


def test_what_is_no_number_ends_the_run(job: Job) -> None:
    company = Together(0, [None], threading.Barrier(1))
    me = worker(job, 0, company)
    me.clock()
    with pytest.raises(RunFailed, match="loss is nan at clock 1"):
        me.report(loss=float("nan"))
    assert company.reports == []


def test_totals_are_reported_once_a_clock(job: Job) -> None:
    company = Together(0, [None], threading.Barrier(1))
    me = worker(job, 0, company)
    for _ in range(2):
        me.went_over(30)
        me.report(loss=1.0)
        me.report(moved=2.0)
        me.clock()
    assert [report.get("rows") for report in company.reports] == [30, None, 60, None]


def test_bytes_are_reported_where_tables_count_them(job: Job) -> None:
    company = Together(0, [None], threading.Barrier(1))
    tables = SimpleNamespace(sent_bytes=120, received_bytes=7, staleness_seen=3)
    Worker(load_app(job.app), job, 0, tables, company).report(loss=1.0)  # type: ignore[arg-type]
    worker(job, 0, company).report(loss=2.0)
    assert company.reports == [
        {"clock": 0, "epoch": 0, "bytes_out": 120, "bytes_in": 7, "staleness": 3, "loss": 1.0},
        {"clock": 0, "epoch": 0, "loss": 2.0},  # and of rows nothing, where nothing is known
    ]
