"""Checkpoints of a run: whole or absent, the newest first, the last two."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from yarnml import checkpoints
from yarnml.errors import DataError
from yarnml.job import Job


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(run="run", runs=str(tmp_path), app="mlr", workers=2)


def written(job: Job, name: str) -> str:
    url = Path(checkpoints.directory(job)) / name
    url.mkdir(parents=True)
    for part in ("server-0", "worker-0", "worker-1"):
        np.savez(url / f"{part}.npz", about=np.zeros(3))
    return str(url)


def names(job: Job) -> list[str]:
    return sorted(path.name for path in Path(checkpoints.directory(job)).iterdir())


def test_what_is_not_committed_is_no_checkpoint(job: Job) -> None:
    written(job, ".7-0-1")
    assert checkpoints.latest(job.url) is None


def test_the_last_two_are_kept_and_what_was_abandoned_before_them_goes(job: Job) -> None:
    written(job, ".3-0-1")
    written(job, ".50-0-9")
    for clock in (5, 10, 20):
        checkpoints.commit(job, 1, clock, written(job, f".{clock}-1-1"))
    assert names(job) == [".50-0-9", "000000010", "000000020"]
    found = checkpoints.latest(job.url)
    assert found is not None
    assert found[0] == f"{job.url}/checkpoints/000000020"
    assert (found[1].clock, found[1].generation, found[1].workers) == (20, 1, 2)


def test_a_clock_that_is_reached_again_takes_the_place_of_the_old_one(job: Job) -> None:
    checkpoints.commit(job, 0, 5, written(job, ".5-0-1"))
    checkpoints.commit(job, 1, 5, written(job, ".5-1-2"))
    assert names(job) == ["000000005"]
    assert checkpoints.about(f"{job.url}/checkpoints/000000005").generation == 1


@pytest.mark.parametrize(("text", "said"), [("{", "is broken"), (json.dumps({"format": 99}), "has format 99")])
def test_one_that_cannot_be_read_is_named(job: Job, text: str, said: str) -> None:
    url = Path(written(job, "000000005"))
    (url / "checkpoint.json").write_text(text)
    with pytest.raises(DataError, match=said):
        checkpoints.about(str(url))
    assert checkpoints.latest(job.url) is None
