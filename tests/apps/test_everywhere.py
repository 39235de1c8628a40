"""Every app, unchanged, where things go wrong and where they are far away: a worker killed, and on YARN."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import yarnml
from hdfs_io import copy
from tests.apps.data import rows_for
from tests.launch.children import children, role
from tests.launch.on_yarn import SMALL
from yarnml.app import app_names, load_app
from yarnml.cluster import Cluster
from yarnml.runs import wait_for

WAIT = 100.0  # seconds
NAMES = [name for name in app_names() if load_app(name).predict is not None]
# Enough to do to be killed in its middle
LONG: dict[str, dict[str, Any]] = {
    "kmeans": {"k": 60, "tol": 1e-9, "epochs": 600},
    "lasso": {"path": 100},
    "lda": {"k": 5, "epochs": 400},
    "logreg_l1": {"path": 100},
    "medlda": {"k": 6, "epochs": 300},
    "mf": {"k": 4, "epochs": 600, "tol": 1e-12, "method": "sgd"},
    "mlr": {"epochs": 400},
    "svm": {"tol": 1e-12, "epochs": 600},
}
ROWS = {"kmeans": 30_000, "mf": 30_000}  # likewise


def watched(name: str, result: dict[str, Any]) -> float:
    task = load_app(name).task
    assert task is not None
    return float(result["train"][task.watch])


def worker(run: Any) -> psutil.Process:
    """The process of the run's worker 1, once it is at work."""
    assert wait_for(lambda: bool(children(*role("worker", 1))) and run.metrics.num_rows > 0, WAIT)
    return children(*role("worker", 1))[0]


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NAMES)
def test_a_killed_worker_is_made_up_for(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = rows_for(name, tmp_path, ROWS.get(name, 600)) | LONG[name]
    usual = {"workers": 2, "seed": 1, "runs": str(tmp_path / "runs"), "deadline": WAIT}
    undisturbed = yarnml.run(name, **options, **usual).wait()
    run = yarnml.run(name, **options, **usual, checkpoint_every=0.2)
    victim = worker(run)
    victim.send_signal(signal.SIGKILL)
    run.wait()
    assert "was killed by SIGKILL" in capsys.readouterr().err
    assert watched(name, run.result) == pytest.approx(watched(name, undisturbed.result), rel=0.02, abs=0.01)


@pytest.mark.full
@pytest.mark.hadoop
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_on_yarn_unchanged(name: str, hadoop: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("skein")
    for variable, value in hadoop.variables().items():
        monkeypatch.setenv(variable, value)
    options = rows_for(name, tmp_path)
    here = yarnml.run(name, **options, workers=2, seed=1, runs=str(tmp_path / "runs")).wait()
    copy(options["data"], f"hdfs:///tmp/everywhere/{name}.csv")
    there = yarnml.submit(
        name, **options | {"data": f"hdfs:///tmp/everywhere/{name}.csv"}, workers=2, seed=1, **SMALL
    ).wait()
    assert watched(name, there.result) == pytest.approx(watched(name, here.result), rel=1e-3, abs=1e-6)
    for key, array in here.model.arrays.items():
        if array.dtype.kind == "f":
            np.testing.assert_allclose(there.model.arrays[key], array, rtol=1e-2, atol=1e-3)
