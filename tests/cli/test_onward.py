"""What a run that has ended too early is told to be gone on with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hdfs_io import Schema
from yarnml import checkpoints
from yarnml.cli import main
from yarnml.cli.onward import onward
from yarnml.job import Job
from yarnml.model import Model, save_model
from yarnml.runs import RunDir


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(run="mlr-1", runs=str(tmp_path), app="mlr", workers=1, servers=1)


def keep(job: Job, clock: int) -> None:
    staged = Path(checkpoints.directory(job)) / f".{clock}"
    staged.mkdir(parents=True)
    for part in ("server-0", "worker-0"):
        np.savez(staged / f"{part}.npz", about=np.zeros(3))
    checkpoints.commit(job, 0, clock, str(staged))


def test_the_command_and_the_clock(job: Job) -> None:
    run = RunDir.create(job)
    assert onward(run) == []
    keep(job, 1200)
    assert onward(run) == ["`yarnml run --resume mlr-1` goes on from its checkpoint at clock 1,200"]
    run.submitted("application_1")
    assert onward(run)[0].startswith("`yarnml submit --resume mlr-1`")


def test_a_model_that_is_whole_is_worth_more(job: Job) -> None:
    run = RunDir.create(job)
    keep(job, 7)
    schema = Schema(sparse=False, width=1)
    model = Model(app="mlr", task="regression", schema=schema, config={}, arrays={"w": np.ones(1)}, run="mlr-1")
    save_model(model, run.model)
    assert onward(run) == [f"its model is whole: {run.model}"]


def test_a_lost_run_says_it(job: Job, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run = RunDir.create(job)
    keep(job, 7)
    monkeypatch.setattr(RunDir, "_gone", lambda *_: True)
    assert main(["status", run.id, "--runs", job.runs]) == 0
    assert "`yarnml run --resume mlr-1` goes on from its checkpoint at clock 7" in capsys.readouterr().out
