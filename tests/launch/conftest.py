"""Jobs of small apps without data, written where a test wants them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from yarnml.job import Job

APP = """
import os, sys, time
from dataclasses import dataclass
from yarnml.app import AppConfig

@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    pass

def work(me, cfg):
    {body}
"""

MakeJob = Callable[..., Job]


@pytest.fixture
def job_of(tmp_path: Path) -> MakeJob:
    """Makes the job of an app with the given body of `work`."""

    def make(body: str, **settings: Any) -> Job:
        folder = tmp_path / "app"
        folder.mkdir()
        (folder / "app.py").write_text(APP.format(body=body.strip().replace("\n", "\n    ")))
        return Job(run="run", runs=str(tmp_path), app=str(folder), **settings)

    return make
