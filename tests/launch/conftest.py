"""Jobs of small apps, with a table or without data, written where a test wants them; a cluster to submit to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hdfs_io import Sample, exists, join, open_fs, scan
from yarnml.cluster import Cluster
from yarnml.job import Job, Part
from yarnml.launch import Handle, LocalLauncher
from yarnml.launch.yarn.manager import configured
from yarnml.runs import wait_for

APP = """
import os, sys, time
from dataclasses import dataclass
import numpy as np
from yarnml.app import AppConfig
from yarnml.ps import TableSpec

@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    pass

def tables(cfg, data):
    return [TableSpec("W", ({rows}, 2))]

def work(me, cfg):
    {body}
"""

MakeJob = Callable[..., Job]


@pytest.fixture(autouse=True)
def ended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A run whose test failed isn't in the way of the next one's."""
    started: list[Handle] = []
    start = LocalLauncher.start

    def remembered(self: LocalLauncher, *args: Any) -> Handle:
        started.append(start(self, *args))
        return started[-1]

    monkeypatch.setattr(LocalLauncher, "start", remembered)
    yield
    for handle in started:
        if not handle.done:
            handle.kill()
            handle.wait(100.0)


@pytest.fixture
def job_of(tmp_path: Path) -> MakeJob:
    """Makes the job of an app with the given body of `work`; with data if it says how many `rows` its table has."""

    def make(body: str, rows: str = "", **settings: Any) -> Job:
        folder = tmp_path / "app"
        folder.mkdir()
        (folder / "app.py").write_text(APP.format(rows=rows or 1, body=body.strip().replace("\n", "\n    ")))
        if rows:
            (tmp_path / "train.csv").write_text("x,y\n" + "1,2\n" * 10)
            dataset = scan(str(tmp_path / "train.csv"), label="number")
            settings["train"] = Part(dataset=dataset, sample=Sample.all(), rows=10)
        settings.setdefault("retries", 0)  # the first death ends it
        return Job(run="run", runs=str(tmp_path), app=str(folder), **settings)

    return make


@pytest.fixture
def on_cluster(hadoop: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is submitted goes to the cluster of this machine."""
    for name, value in hadoop.variables().items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def clean(hadoop: Cluster, on_cluster: None) -> Iterator[None]:
    """Afterwards nothing runs, and nothing that only starting needed is left."""
    yield
    home = f"hdfs:///user/{hadoop.conf.user}"
    assert wait_for(lambda: all(node.free_mb == node.mb for node in configured().nodes()), 30)
    assert not exists(join(home, ".skein"))
    fs, path = open_fs(join(home, ".yarnml/runs"))
    assert not [name for name in fs.find(path, withdirs=True) if name.endswith(("/start", "/notes"))]
