"""What a run is resumed from, begun with, and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import yarnml
from yarnml import checkpoints
from yarnml.app import load_app
from yarnml.cli import main
from yarnml.errors import UsageError
from yarnml.job import Job
from yarnml.prepare import prepare
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
    (tmp_path / "more.csv").write_text("a,y\n1,2\n3,4\n")
    job = resume(old, data=str(tmp_path / "more.csv"))
    assert job.train is not None
    assert (job.train.rows, job.test) == (2, None)


def test_what_cannot_be_resumed(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="it left no checkpoint"):
        resume(ended(options, clock=None))
    running = prepare(load_app(TINY), options)
    RunDir.create(running)
    with pytest.raises(UsageError, match="is still running; `yarnml kill"):
        resume(running)
    with pytest.raises(UsageError, match=r"is a run of .*tiny, not of mlr"):
        prepare(load_app("mlr"), {"resume": ended(options).url})


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
