"""How a run ends that is interrupted, terminated or killed: with a last checkpoint, from which another goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yarnml import checkpoints
from yarnml.cli import main
from yarnml.runs import RunDir, all_runs, wait_for

ROOT = Path(__file__).parents[2]
STEADY = str(ROOT / "tests" / "steady")
WAIT = 60.0  # seconds: imports of several processes on a busy machine
ENDS = {"ctrl-c": (130, "interrupted"), "sigterm": (143, "killed"), "kill": (143, "killed")}

WAYS = [("ctrl-c", 1), ("sigterm", 2), ("kill", 1), ("ctrl-c", 2), ("sigterm", 1), ("kill", 2)]


def ways(*quick: tuple[str, int]) -> pytest.MarkDecorator:
    """All, of which the others are for the full count."""
    full = [pytest.param(*way, marks=pytest.mark.full) for way in WAYS if way not in quick]
    return pytest.mark.parametrize(("how", "workers"), [*quick, *full])


@contextmanager
def started(folder: Path, *args: str, past: int = 10) -> Iterator[tuple[subprocess.Popen[str], RunDir]]:
    """A run in a process of its own, seen to have come past a clock."""
    (folder / "train.csv").write_text("x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(31)))
    runs = str(folder / "runs")
    command = [sys.executable, "-m", "yarnml", "run", STEADY, "--data", str(folder / "train.csv"), "--runs", runs]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": env}

    def begun() -> bool:
        glance = all_runs(runs)[0].glance() if all_runs(runs) else None
        return glance is not None and (glance.clock or 0) >= past

    with subprocess.Popen([*command, *args, "--json"], **pipes) as driver:
        try:
            assert wait_for(begun, WAIT), driver.communicate(timeout=1)
            yield driver, all_runs(runs)[0]
        finally:
            driver.kill()


def press(how: str, driver: subprocess.Popen[str], run: RunDir) -> None:
    if how == "kill":
        assert main(["kill", run.id, "--runs", str(Path(run.url).parent)]) == 0
    else:
        driver.send_signal(signal.SIGINT if how == "ctrl-c" else signal.SIGTERM)


@ways(("ctrl-c", 1), ("sigterm", 2))
def test_what_was_done_is_kept_and_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str, workers: int
) -> None:
    with started(tmp_path, "--workers", str(workers), "--keeps") as (driver, run):
        press(how, driver, run)
        out, err = driver.communicate(timeout=WAIT)
    assert (driver.returncode, json.loads(out)["state"]) == ENDS[how], err
    assert run.record().state == ENDS[how][1]
    [(_, found)] = [kept for kept in [checkpoints.latest(run.url, deep=True)] if kept]
    clock = found.clock - 1  # that of `start` is none of work's
    assert clock >= 10
    assert f"`yarnml run --resume {run.id}` goes on from its checkpoint at clock {clock:,}" in err
    if how == "kill":
        assert f"goes on from its checkpoint at clock {clock:,}" in capsys.readouterr().out
    reported = {metric.clock for metric in run.reported() if metric.clock is not None}
    assert max(reported) - clock < 50, "it did not end soon after"
    assert main(["run", "--resume", run.id, "--runs", str(tmp_path / "runs"), "--pause", "0"]) == 0
    assert main(["run", STEADY, *_data(tmp_path), "--keeps", "--workers", str(workers), "--pause", "0"]) == 0
    again, whole = all_runs(str(tmp_path / "runs"))[-2:]
    np.testing.assert_array_equal(np.load(f"{again.url}/model/W.npy"), np.load(f"{whole.url}/model/W.npy"))


def _data(folder: Path) -> list[str]:
    return ["--data", str(folder / "train.csv"), "--runs", str(folder / "runs")]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.full)])
def test_a_clock_that_does_not_end_is_not_waited_for_for_ever(tmp_path: Path, workers: int) -> None:
    """Worker 0 sleeps in its 3rd clock, longer than anybody waits."""
    slow = ["--pause", "0.3", "--sleeps", "2", "--grace", "0.5", "--workers", str(workers)]
    with started(tmp_path, *slow, past=2) as (driver, run):
        driver.send_signal(signal.SIGINT)
        out, err = driver.communicate(timeout=WAIT)
    assert driver.returncode == 130, err
    assert "ends at its next clock with a checkpoint, if it can, within 0.5 s" in err
    message = json.loads(out)["message"]
    assert "no last checkpoint came about within 0.5 s" in message or "did not stop and is left behind" in message
    assert "nothing of it is kept: it left no checkpoint" in err
    assert run.record().state == "interrupted"


@ways(("kill", 1))
def test_who_asks_again_has_it_end_at_once(tmp_path: Path, how: str, workers: int) -> None:
    slow = ["--pause", "0.3", "--sleeps", "2", "--grace", "500", "--workers", str(workers)]
    with started(tmp_path, *slow, past=2) as (driver, run):
        if how == "kill":
            assert main(["kill", run.id, "--runs", str(tmp_path / "runs"), "--deadline", "1.5"]) == 1
            assert main(["kill", run.id, "--runs", str(tmp_path / "runs")]) == 0
        else:
            press(how, driver, run)
            assert wait_for(lambda: "ends at its next clock" in _log(run), WAIT)
            press(how, driver, run)
        out, err = driver.communicate(timeout=WAIT)
    assert (driver.returncode, json.loads(out)["state"]) == ENDS[how], err
    assert "nothing of it is kept: it left no checkpoint" in err


def _log(run: RunDir) -> str:
    log = Path(run.log_files().get("driver", "/nowhere"))
    return log.read_text() if log.exists() else ""
