"""What a run is resumed from, begun with, and refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yarnml
from yarnml import checkpoints
from yarnml.app import load_app
from yarnml.app.kept import Part
from yarnml.cli import main
from yarnml.errors import DataError, UsageError
from yarnml.job import Job
from yarnml.launch import InlineLauncher
from yarnml.launch.plan import Plan
from yarnml.prepare import prepare
from yarnml.ps.checkpoint.files import write_shard
from yarnml.ps.checkpoint.origin import Chunk
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.runs import RunDir

TINY = str(Path(__file__).parent / "tiny")


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "table.csv").write_text("a,y\n" + "".join(f"{i},{i % 5}\n" for i in range(100)))
    return {"data": str(tmp_path / "table.csv"), "runs": str(tmp_path / "runs")}


def ended(options: dict[str, Any], clock: int | None = 7) -> Job:
    """A run that failed, with a checkpoint or without."""
    job = prepare(load_app(TINY), options)
    RunDir.create(job).end("failed")
    if clock is not None:
        url = Path(checkpoints.directory(job)) / f".{clock}"
        url.mkdir(parents=True)
        tables = tuple((spec, (Chunk(0, np.zeros(spec.shape, spec.dtype), {}),)) for spec in Plan.of(job).tables)
        write_shard(str(url), Snapshot(clock, 0, 1, tables))
        for worker in range(job.workers):
            Part(worker, job.workers, 0, {"own": np.zeros(1000)}, {"own": "all"}).write(str(url))
        checkpoints.commit(job, 0, clock, str(url))
    return job


def resume(job: Job, **said: Any) -> Job:
    return prepare(load_app(TINY), {"resume": job.url, "runs": job.runs, **said})


def test_a_resumed_run_is_asked_what_the_earlier_was_but_for_what_is_said(options: dict[str, Any]) -> None:
    old = ended({**options, "epochs": 50, "workers": 2, "test": 0.2, "seed": 4, "out": options["runs"] + "-out"})
    job = resume(old, workers=3, epochs=60)
    assert (job.resume, job.resume_clock) == (f"{old.url}/checkpoints/000000007", 7)
    assert (job.workers, job.config["epochs"], job.seed, job.out) == (3, 60, 4, old.out)
    assert (job.train, job.test) == (old.train, old.test)
    assert job.run != old.run


def test_a_line_says_what_is_gone_on_with(options: dict[str, Any]) -> None:
    old = ended({**options, "epochs": 50, "workers": 2, "secure": True}, clock=1234)
    said: list[str] = []
    prepare(load_app(TINY), {"resume": old.url, "runs": old.runs, "workers": 3}, say=said.append)
    inherited = "with --epochs 50 --secure as there; now --workers 3"
    assert said == [f"resume   goes on from {old.run}'s checkpoint at clock 1,234, {inherited}"]


def test_data_that_is_said_anew_is_read_anew(options: dict[str, Any], tmp_path: Path) -> None:
    old = ended({**options, "test": 0.2})
    assert old.train is not None
    (tmp_path / "other.csv").write_text("a,y\n" + "1,2\n" * old.train.rows)
    job = resume(old, data=str(tmp_path / "other.csv"))
    assert job.train is not None
    assert (job.train.dataset.url, job.test) == (str(tmp_path / "other.csv"), None)
    (tmp_path / "other.csv").write_text("a,y\n1,2\n3,4\n")
    with pytest.raises(UsageError, match=rf"is of {old.train.rows} training rows, and now there are 2"):
        resume(old, data=str(tmp_path / "other.csv"))


def test_what_cannot_be_resumed(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="it left no checkpoint"):
        resume(ended(options, clock=None))
    running = prepare(load_app(TINY), options)
    RunDir.create(running)
    with pytest.raises(UsageError, match="is still running; `yarnml kill"):
        resume(running)
    with pytest.raises(UsageError, match=r"is a run of .*tiny, not of mlr"):
        prepare(load_app("mlr"), {"resume": ended(options).url})


def test_a_resumed_run_begins_with_no_model(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="--resume and --start-from"):
        resume(ended(options), start_from="somewhere")


@pytest.mark.parametrize(
    ("part", "how"),
    [
        *((f"{role}-0.npz", how) for role in ("server", "worker") for how in ("lost", "short", "changed")),
        ("checkpoint.json", "lost"),
        ("checkpoint.json", "short"),
    ],
)
def test_a_broken_checkpoint_leaves_the_older_one(options: dict[str, Any], part: str, how: str) -> None:
    old = ended(options)
    url = Path(checkpoints.directory(old))
    shutil.copytree(url / "000000007", url / "000000009")
    file = url / "000000009" / part
    text = file.read_bytes()
    if how == "lost":
        file.unlink()
    else:
        file.write_bytes(text[:60] if how == "short" else text[:60] + b"?" + text[61:])
    heard: list[str] = []
    job = prepare(load_app(TINY), {"resume": old.url, "runs": old.runs}, say=heard.append)
    assert (job.resume, job.resume_clock) == (str(url / "000000007"), 7)
    assert sum("from an older checkpoint" in said and "000000009" in said for said in heard) == 1
    shutil.rmtree(url / "000000007")
    with pytest.raises(DataError, match=r"none of its checkpoints is whole: .*000000009"):
        resume(old)


def test_a_checkpoint_is_resumed_by_its_own_url(options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    old = ended(options)
    url = Path(checkpoints.directory(old))
    shutil.copytree(url / "000000007", url / "000000009")
    older = str(url / "000000007")
    assert prepare(load_app(TINY), {"resume": older + "/"}).resume == older
    assert main(["run", "--resume", older, "--dry-run"]) == 0
    (url / "000000007" / "worker-0.npz").unlink()
    with pytest.raises(DataError, match=r"worker-0\.npz: no such file"):
        prepare(load_app(TINY), {"resume": older})


def stopped_at(options: dict[str, Any], app: Path, body: str, **said: Any) -> Job:
    """A run of an app whose work fails in the end, with a checkpoint near it."""
    (app / "app.py").write_text(
        Path(TINY, "app.py").read_text().split("def work")[0].replace("epochs:", "batch: Count = 20\n    epochs:")
        + body
        + PREDICT
    )
    job = prepare(load_app(str(app)), {**options, "checkpoint_every": 0.02, **said})
    RunDir.create(job)
    assert not InlineLauncher().start(job, lambda _: None).wait().ok
    RunDir(job.url).end("failed")
    return job


BATCHES = """
def work(me: Worker, cfg: Config) -> None:
    for batch in me.batches(cfg.batch, cfg.epochs):
        if me.clock_now >= 95:
            raise RuntimeError("that far")
        time.sleep(0.002)
        me.clock()
"""
LOOP = """
def work(me: Worker, cfg: Config) -> None:
    for clock in range(me.clock_now, cfg.epochs):
        if clock >= 95:
            raise RuntimeError("that far")
        time.sleep(0.002)
        me.clock()
"""
START = """

def start(me: Worker, cfg: Config) -> None: ...
"""
PREDICT = """
def predict(model: Model, batch: Batch) -> Columns:
    return {"prediction": np.zeros(len(batch), np.float32)}
"""


@pytest.mark.parametrize(
    ("body", "said", "says"),
    [
        (LOOP, {"epochs": 3}, r"the checkpoint is at clock {clock}, and app app has no clock to do from there"),
        (BATCHES, {"batch": 50}, r"a pass has 2 clocks now, and had 5 when the checkpoint was made"),
    ],
)
def test_what_would_end_before_its_checkpoint_or_be_another_run(
    options: dict[str, Any], tmp_path: Path, body: str, said: dict[str, Any], says: str
) -> None:
    app = tmp_path / "app"
    app.mkdir()
    old = stopped_at(options, app, body, epochs=100, batch=20)
    job = prepare(load_app(str(app)), {"resume": old.url, "runs": old.runs, **said})
    RunDir.create(job)
    outcome = InlineLauncher().start(job, lambda _: None).wait()
    assert outcome.state == "failed"
    assert re.search(says.format(clock=job.resume_clock), outcome.message)
    assert not Path(job.url, "model").exists()


def test_fewer_passes_than_were_begun_are_refused_before_the_start(options: dict[str, Any], tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    old = stopped_at(options, app, BATCHES + START, epochs=100)
    said: list[str] = []

    def again(**more: Any) -> Job:
        return prepare(load_app(str(app)), {"resume": old.url, "runs": old.runs, **more}, say=said.append)

    clock = again().resume_clock - 1  # `start` has one of its own, which users aren't told of
    assert f"goes on from {old.run}'s checkpoint at clock {clock}, with" in said.pop()
    begun = -(-clock // 5)
    assert again(epochs=begun).config["epochs"] == begun
    assert len(said) == 1
    with pytest.raises(UsageError) as caught:
        again(epochs=begun - 1)
    says = f"--epochs {begun - 1}: the checkpoint is at clock {clock}, in pass {begun}: resume with more, or start anew"
    assert str(caught.value) == says
    assert len(said) == 1
    assert [path.name for path in Path(old.runs).iterdir()] == [old.run]


def test_the_command_line_needs_no_app_to_resume(
    options: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ended({**options, "epochs": 50})
    assert main(["run", "--resume", old.run, "--runs", old.runs, "--seed", "9", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "--epochs 50" in out
    assert "seed 9" in out
    assert "99 rows" in out or "100 rows" in out


def test_tables_begin_with_a_models_arrays(options: dict[str, Any]) -> None:
    first = yarnml.run(TINY, **options).wait()
    again = yarnml.run(TINY, **options, start_from=first.result["model"]).wait()
    assert again.model["m"].tolist() == (2 * first.model["m"]).tolist()  # what it adds comes on top


def test_a_model_that_no_table_can_begin_with_is_refused(options: dict[str, Any]) -> None:
    first = yarnml.run("mlr", **options, label="y", epochs=1).wait()
    with pytest.raises(UsageError, match=r"holds W, and the tables of tiny are m: nothing would begin with it"):
        prepare(load_app(TINY), {**options, "start_from": first.result["model"]})
