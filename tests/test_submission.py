"""A submission whose data workers survey first: the same job as if this machine had read it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from hdfs_io import exists, scan
from hdfs_io.errand import Errand
from tests.standin import cluster
from yarnml import submission as module
from yarnml.app import load_app
from yarnml.comm.outcome import Outcome
from yarnml.job import Job
from yarnml.launch import InlineLauncher
from yarnml.monitor.terminal import view
from yarnml.sender import Sender
from yarnml.submission import Submission


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where data and runs are."""
    with cluster(monkeypatch, module, survey, adopted=None, shipped="a note") as url:
        yield url


def survey(_: Sender, job: Job, _errand: Errand) -> Outcome:
    assert (job.workers, job.threads, job.silence) == (2, 3, 7.0)  # as asked for the run
    done = InlineLauncher().start(replace(job, workers=1), lambda _: None).wait()
    return Outcome("succeeded", result={"read": {"bytes": 4, "local_bytes": 3}}) if done.ok else done


def prepared(place: str, *, dry: bool = False, **said: Any) -> tuple[Job, str]:
    shown = io.StringIO()
    options = {"data": f"{place}/data", "workers": 2, "worker_vcores": 3, "silence": 7.0, **said}
    with Submission.prepare(load_app("mlr"), options, view(shown), dry=dry) as ready:
        return ready.job, shown.getvalue()


def test_the_job_is_the_same_whoever_surveyed_the_data(place: str) -> None:
    job, said = prepared(place, scan="cluster")
    assert job.train is not None
    assert job.train.dataset == scan(f"{place}/data", label="class")
    assert re.search(r"3 rows surveyed by 2 workers in \d+ s, 75% of it where it is", said)
    assert not exists(f"{place}/runs/{job.run}")


@pytest.mark.parametrize("who", ["here", "auto"])
def test_small_data_is_read_here(place: str, who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sender, "survey", lambda *_: pytest.fail("nobody had to be asked"))
    job, said = prepared(place, scan=who)
    assert job.train is not None
    assert job.train.rows == 3
    assert "survey" not in said


def test_a_dry_run_starts_no_workers_and_leaves_the_data_out(place: str) -> None:
    job, said = prepared(place, scan="cluster", dry=True)
    assert (job.train, job.valid, job.test) == (None, None, None)
    assert "2 parts, 22 bytes, would be surveyed by 2 workers first" in said
    assert not exists(f"{place}/runs")
