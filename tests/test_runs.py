"""A run's directory, on a local disk and in memory: what is written is what others read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hdfs_io import join, read_text, write_text
from yarnml.cli import main
from yarnml.errors import DataError, UsageError
from yarnml.job import Job
from yarnml.monitor.metric import Metric
from yarnml.monitor.progress import Glance
from yarnml.runs import LOST, RunDir, all_runs, find_run, follow, new_id


@pytest.fixture(params=["disk", "memory"])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "runs") if request.param == "disk" else f"memory://{uuid.uuid4().hex}/runs"


def job(runs: str, run: str = "mlr-1") -> Job:
    return Job(run=run, runs=runs, app="mlr", config={"epochs": 3})


def metric(clock: int, value: float = 0.5) -> Metric:
    return Metric(time=1.0, worker=0, clock=clock, epoch=None, name="loss", value=value)


def dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_a_run_from_its_start_to_its_end(runs: str) -> None:
    run = RunDir.create(job(runs))
    record = run.record()
    assert (record.state, record.seconds, record.pid) == ("running", None, os.getpid())
    assert Job.from_json(json.dumps(record.job)) == job(runs)
    assert "numpy" in record.versions
    run.end("succeeded", result={"test": {"accuracy": 0.9}})
    record = RunDir(run.url).record()
    assert (record.state, record.result) == ("succeeded", {"test": {"accuracy": 0.9}})
    assert record.seconds is not None
    assert record.seconds >= 0


def test_metrics_are_one_table(runs: str) -> None:
    run = RunDir.create(job(runs))
    assert run.metrics().num_rows == 0
    run.append([metric(1), metric(2)])
    run.append([metric(3)])
    table = run.metrics()
    assert table.column_names == ["time", "worker", "clock", "epoch", "name", "value"]
    assert table.column("clock").to_pylist() == [1, 2, 3]


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    run = RunDir.create(job(str(tmp_path)))
    run.append([metric(1)])
    with (tmp_path / "mlr-1" / "metrics.jsonl").open("a") as file:
        file.write('{"time": 1.0, "wor')
    assert run.metrics().column("clock").to_pylist() == [1]


def test_beats_and_a_wish_to_end(runs: str) -> None:
    run = RunDir.create(job(runs))
    assert run.glance() is None
    run.beat(Glance(time=1e12, clock=4))
    assert RunDir(run.url).glance() == Glance(time=1e12, clock=4)
    assert not run.asked_to_end()
    RunDir(run.url).ask_to_end("enough of\nthat")
    RunDir(run.url).ask_to_end()
    assert run.asked_to_end() == 2
    assert run.why_to_end() == "enough of that"


def test_a_run_whose_driver_is_dead_is_lost(runs: str) -> None:
    run = RunDir.create(job(runs))
    write_text(join(run.url, "run.json"), replace(run.record(), pid=dead_pid()).to_json())
    assert run.record().state == "lost"


def test_a_run_on_another_host_is_lost_when_it_is_silent(runs: str) -> None:
    run = RunDir.create(job(runs))
    record = replace(run.record(), host="elsewhere", pid=dead_pid())
    write_text(join(run.url, "run.json"), record.to_json())
    assert run.record().state == "running"
    write_text(join(run.url, "run.json"), replace(record, started=record.started - 2 * LOST).to_json())
    assert run.record().state == "lost"
    run.beat(Glance(time=record.started))
    assert run.record().state == "running"


def test_a_driver_of_this_host_is_believed_as_long_as_its_process_lives(runs: str) -> None:
    run = RunDir.create(job(runs))
    record = run.record()
    begun = time.time() - 10 * LOST
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        for started, state in ((time.time(), "running"), (begun, "lost")):  # then the number is another's by now
            write_text(join(run.url, "run.json"), replace(record, pid=child.pid, started=started).to_json())
            run.beat(Glance(time=begun))  # and silent since
            assert run.record().state == state
        child.kill()


@pytest.mark.parametrize("text", ["{}", "[]", "{", '{"run": "x", "app": "a", "state": "failed"}'])
def test_a_broken_record_is_named_and_hides_no_other(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    RunDir.create(job(str(tmp_path))).end("failed")
    broken = tmp_path / "mlr-2"
    broken.mkdir()
    (broken / "run.json").write_text(text)
    assert [run.id for run in all_runs(str(tmp_path))] == ["mlr-2", "mlr-1"]
    with pytest.raises(DataError, match=r"mlr-2/run.json: is broken: "):
        find_run(str(tmp_path), "mlr-2").record()
    assert main(["runs", "--runs", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^mlr-2 +broken .*mlr-2/run.json", out, re.MULTILINE)
    assert re.search(r"^mlr-1 +failed", out, re.MULTILINE)
    for command in (
        ["status", "mlr-2"],
        ["kill", "mlr-2"],
        ["run", "--resume", "mlr-2"],
        ["run", "mlr", "--resume", "mlr-2"],
    ):
        assert main([*command, "--runs", str(tmp_path)]) != 0
        said = capsys.readouterr()
        assert "mlr-2/run.json: is broken" in said.err + said.out
        assert "Traceback" not in said.err


def test_a_run_that_cannot_be_seen_is_asked_to_end_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDir.create(job(str(tmp_path)))
    record = replace(run.record(), host="elsewhere", started=time.time() - 2 * LOST)
    write_text(join(run.url, "run.json"), record.to_json())
    assert main(["kill", "mlr-1", "--runs", str(tmp_path), "--deadline", "0.1"]) == 1
    assert "asked to end, but whether it has isn't known" in capsys.readouterr().err
    assert run.asked_to_end()


@pytest.mark.parametrize("name", ["", " ", "/"])
def test_no_name_is_no_run(runs: str, name: str) -> None:
    RunDir.create(job(runs))
    with pytest.raises(UsageError, match="say a run's id"):
        find_run(runs, name)


def test_runs_are_found_by_id_its_beginning_or_url(runs: str) -> None:
    assert all_runs(runs) == []
    for name in ("mlr-1a", "mlr-1b", "kmeans-2"):
        RunDir.create(job(runs, name))
    assert [run.id for run in all_runs(runs)] == ["mlr-1a", "mlr-1b", "kmeans-2"]
    assert find_run(runs, "mlr-1a").id == "mlr-1a"
    assert find_run(runs, "km").id == "kmeans-2"
    assert find_run("nowhere", join(runs, "mlr-1a")).id == "mlr-1a"
    with pytest.raises(UsageError, match="2 runs begin with that"):
        find_run(runs, "mlr")
    with pytest.raises(UsageError, match="did you mean 'kmeans-2'"):
        find_run(runs, "kmaens-2")


def test_logs_are_followed_to_the_end(runs: str) -> None:
    run = RunDir.create(job(runs))
    steps = steps_of(run)

    def ended() -> bool:
        return next(steps)

    lines = [f"{name}: {line}" for name, line in follow(run.log_files, ended, every=0.0)]
    assert lines == ["worker-0: one", "worker-0: two, in two writes", "worker-1: last"]


def steps_of(run: RunDir) -> Iterator[bool]:
    """What happens between the looks of one who follows; whether the run has ended."""
    write_text(join(run.logs, "worker-0.log"), "one\ntwo, ")
    yield False
    write_text(join(run.logs, "worker-0.log"), "one\ntwo, in two writes\n")
    yield False
    write_text(join(run.logs, "worker-1.log"), "last")  # its process died within the line
    yield True


def test_the_driver_s_own_log(runs: str) -> None:
    run = RunDir.create(job(runs))
    run.take_over_log()  # of which there is none yet
    run.log("one\n")
    run.take_over_log()
    run.log("two\n")
    assert read_text(run.log_files()["driver"]) == "one\ntwo\n"


def test_ids_are_apart_and_name_the_app() -> None:
    assert new_id("mlr") != new_id("mlr")
    assert new_id("./here/my_app").startswith("my_app-")
