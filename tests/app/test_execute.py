"""A run of an app: start before work, what work returns, output whole or absent, the model that workers agree on."""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem

from hdfs_io import DataError, ReadOptions, Roles, Sample, scan
from tests.app.together import Together, together
from yarnml.app import Worker, execute, load_app, open_model
from yarnml.errors import RunFailed, UsageError
from yarnml.job import Job, Part
from yarnml.ps import local_client

HEAD = """
from dataclasses import dataclass
import numpy as np
from yarnml.app import AppConfig
from yarnml.ps import TableSpec
from yarnml.task import Regression

@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    fail: bool = False
"""
LEARNS = """
task = Regression()
def tables(cfg, schema): return [TableSpec("t", (1, 2))]
def start(me, cfg): me.table("t").inc(None, np.array([[5, 0]], np.float32))
def work(me, cfg):
    assert me.clock_now == 0
    assert me.table("t").get()[0, 0] == 5
    for batch in me.batches(4, 2):
        me.table("t").inc(None, np.array([[0, batch.y.sum()]], np.float32))
        me.clock()
    me.note("learned")
def predict(model, batch): return {"prediction": np.full(len(batch), model["t"][0, 1])}
"""
DIVERGES = LEARNS.replace("batch.y.sum()", "np.inf")
WRITES = """
def work(me, cfg):
    writer = me.out.writer()
    writer.write({"n": np.arange(3) + 10 * me.index})
    writer.close()
    if cfg.fail and me.index == 0:
        raise RuntimeError("no luck")
    return {"test": {"rows": 3.0}}
"""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (tmp_path / "app").mkdir()
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i},{i}\n" for i in range(10)))
    data = scan(str(tmp_path / "data.csv"), ReadOptions(roles=Roles(label="y")), label="number")
    part = Part(dataset=data, sample=Sample.all(), rows=10)
    return Job(run="r", runs=str(tmp_path / "runs"), app=str(tmp_path / "app"), train=part, test=part)


def run(job: Job, body: str, **changes: Any) -> list[dict[str, Any]]:
    (Path(job.app) / "app.py").write_text(HEAD + body)
    job = replace(job, **changes)

    def one(index: int, company: Together) -> dict[str, Any]:
        app = load_app(job.app)
        assert job.train is not None
        specs = app.specs(app.config(job.config), job.train.dataset.schema)
        return execute(Worker(app, job, index, local_client(specs, seed=0, company=company), company))

    return together(job.workers, one)


def test_learns_scores_and_saves(job: Job) -> None:
    (result,) = run(job, LEARNS)
    assert result["model"] == f"{job.url}/model"
    assert set(result["train"]) == set(result["test"]) == {"rmse", "mae", "r2"}
    assert result["notes"] == ["learned"]
    assert {"load", "train", "score", "save"} <= set(result["seconds"])
    model = open_model(result["model"], trust=True)
    assert model["t"].tolist() == [[5, 2 * 45]]
    assert model.predict([[0.0]]).tolist() == [90]
    assert model.metrics["test"] == result["test"]


def test_of_many_training_rows_enough_are_scored_and_of_test_rows_all(job: Job) -> None:
    (result,) = run(job, LEARNS + "task.enough = 4\n")
    assert result["train"]["mae"] == 90 - 4  # of rows 0, 2, 4, 6, 8
    assert result["test"]["mae"] == 90 - 4.5
    assert result["notes"] == ["learned", "scores on training rows are of one in 2 of 10"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_is_not_finite_fails_and_is_not_saved(job: Job, workers: int) -> None:
    with pytest.raises(RunFailed, match=r"1 of the 2 numbers of 't' .* after clock 6; look at the scale"):
        run(job, DIVERGES, workers=workers)
    assert not (Path(job.url) / "model").exists()


@pytest.mark.parametrize(("extra", "refused"), [("", True), ("takes_nan = True\n", False)])
def test_an_app_says_whether_it_takes_nan(job: Job, extra: str, refused: bool) -> None:
    (Path(job.app) / "app.py").write_text(HEAD + LEARNS + extra)
    app, gappy = load_app(job.app), Path(job.app) / "gappy.csv"
    gappy.write_text("x,y\n1,2\n,3\n")
    data = scan(str(gappy), ReadOptions(missing="nan", roles=Roles(label="y")), label="number")
    with pytest.raises(UsageError, match="app cannot learn from nan; use --missing zero") if refused else nullcontext():
        app.refuse(app.config({}), data, 2)


def test_workers_write_a_data_set_together(job: Job, tmp_path: Path) -> None:
    results = run(job, WRITES, workers=3, out=str(tmp_path / "out"))
    assert all(result["out"] == str(tmp_path / "out") and result["model"] is None for result in results)
    assert results[0]["test"] == {"rows": 3.0}
    assert [part.name for part in sorted((tmp_path / "out").iterdir())] == [
        "_SUCCESS",
        *(f"part-0000{index}.parquet" for index in range(3)),
    ]
    assert pq.read_table(tmp_path / "out" / "part-00002.parquet").to_pydict() == {"n": [20, 21, 22]}


def test_a_failure_leaves_no_output(job: Job, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no luck"):
        run(job, WRITES, out=str(tmp_path / "out"), config={"fail": True})
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]


def test_several_workers_cannot_write_one_file(job: Job, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name a directory"):
        run(job, WRITES, workers=2, out=str(tmp_path / "out.csv"))


def test_what_stands_at_the_output_is_kept_unless_said_otherwise(job: Job, tmp_path: Path) -> None:
    run(job, WRITES, out=str(tmp_path / "out"))
    with pytest.raises(DataError, match="exists"):
        run(job, WRITES, out=str(tmp_path / "out"))
    run(job, WRITES, out=str(tmp_path / "out"), overwrite=True)
    assert (tmp_path / "out" / "_SUCCESS").exists()


@pytest.mark.parametrize("worker", [0, 1])
def test_a_full_disk_is_named_with_what_was_to_be_written(job: Job, worker: int) -> None:
    full = f"    if me.index == {worker}:\n        raise OSError({errno.ENOSPC}, 'No space left on device')\n"
    body = WRITES.replace("    writer.close()\n", f"    writer.close()\n{full}")
    with pytest.raises(DataError, match=r"r/out: can't be written: No space left on device"):
        run(job, body, workers=2)


def test_a_model_for_which_there_is_no_room(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(LocalFileSystem, "pipe_file", full)
    with pytest.raises(DataError, match=r"r/model: can't be written: No space left on device"):
        run(job, LEARNS)
