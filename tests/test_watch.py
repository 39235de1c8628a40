"""The watch beside a driver: what it keeps, and that it hears a wish to end."""

from __future__ import annotations

import io
import threading
from pathlib import Path

from hdfs_io import read_text
from yarnml.job import Job
from yarnml.monitor.terminal import Lines
from yarnml.runs import RunDir, wait_for
from yarnml.watch import Watch


def watch(tmp_path: Path) -> tuple[RunDir, Watch, io.StringIO]:
    run = RunDir.create(Job(run="mlr-1", runs=str(tmp_path), app="mlr"))
    out = io.StringIO()
    return run, Watch(run, Lines(out)), out


def test_what_is_reported_is_kept_shown_and_beaten(tmp_path: Path) -> None:
    run, it, out = watch(tmp_path)
    it.start(lambda: None)
    it.say("train: a9a")
    it.take(0, {"clock": 3, "loss": 0.5})
    it.close()
    said, last = read_text(run.log_files()["driver"]).splitlines()
    assert said == "train: a9a"
    assert "clock 3" in last
    assert run.metrics().column("value").to_pylist() == [0.5]
    glance = run.glance()
    assert glance is not None
    assert glance.clock == 3
    assert "clock 3" in out.getvalue()


def test_a_run_that_goes_back_loses_the_metrics_of_later_clocks(tmp_path: Path) -> None:
    run, it, out = watch(tmp_path)
    it.start(lambda: None)
    for clock in (1, 2, 3):
        it.take(0, {"clock": clock, "loss": float(clock)})
    assert wait_for(lambda: run.metrics().num_rows == 3, 10)
    it.take(0, {"clock": 4, "loss": 4.0})
    it.go_back(1, 2, "server 0 was killed")
    it.take(0, {"clock": 2, "loss": 2.5})
    it.close()
    assert run.metrics().column("value").to_pylist() == [1.0, 2.5]
    assert "rolled back to clock 2: server 0 was killed" in out.getvalue()
    glance = run.glance()
    assert glance is not None
    assert (glance.generation, glance.setback) == (1, "rolled back to clock 2: server 0 was killed")


def test_a_wish_to_end_is_heard_as_often_as_it_is_made_and_told_as_it_changes(tmp_path: Path) -> None:
    run, it, out = watch(tmp_path)
    heard: list[str] = []
    it.start(lambda: heard.append("kill"), ending=lambda: f"it ends: {heard}" if heard else "")
    for n in (1, 2):
        run.ask_to_end()
        assert wait_for(lambda n=n: len(heard) >= n, 10)  # type: ignore[misc]
    assert wait_for(lambda: out.getvalue().count("it ends") == 2, 10)
    it.close()
    assert heard == ["kill", "kill"]
    assert not any(thread.name == "yarnml-watch" for thread in threading.enumerate())


def test_what_cant_be_kept_is_said_once_and_comes_back(tmp_path: Path) -> None:
    run, it, out = watch(tmp_path)
    path = Path(run.url) / "metrics.jsonl"
    path.mkdir()
    it.start(lambda: None)
    it.take(0, {"clock": 1, "loss": 0.5})
    assert wait_for(lambda: "metrics can't be recorded" in out.getvalue(), 10)
    path.rmdir()
    path.write_text('{"time": 1, "wor')  # as a full disk leaves it
    it.take(0, {"clock": 2, "loss": 0.25})
    it.close()
    assert out.getvalue().count("can't be recorded") == 1
    assert run.metrics().column("value").to_pylist() == [0.25]
