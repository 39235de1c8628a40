"""Jobs of small apps, with a table or without data, written where a test wants them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hdfs_io import Sample, scan
from yarnml.job import Job, Part

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
