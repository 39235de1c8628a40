"""Processes of this machine find their job in a directory of it, wherever the run itself is kept."""

from __future__ import annotations

import stat
from pathlib import Path

from hdfs_io import read_text, remove
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.launch.place import place

WORKER = Seat("worker", 0)


def test_a_run_on_this_machine_is_the_place_itself(tmp_path: Path) -> None:
    job = Job(run="r", runs=str(tmp_path), app="mlr")
    with place(job) as here:
        assert here.log(WORKER) == tmp_path / "r" / "logs" / "worker-0.log"
        assert Job.from_json(here.job.read_text()) == job
        assert stat.S_IMODE(here.job.stat().st_mode) == 0o600


def test_logs_go_to_a_run_on_another_store_at_the_end() -> None:
    job = Job(run="r", runs="memory://runs", app="mlr")
    try:
        with place(job) as here:
            here.log(WORKER).write_text("the last words\n")
            assert Job.from_json(here.job.read_text()) == job
        assert not here.job.exists()
        assert read_text("memory://runs/r/logs/worker-0.log") == "the last words\n"
    finally:
        remove("memory://runs")
