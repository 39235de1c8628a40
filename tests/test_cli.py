"""The command line from outside: exit codes, what goes to which stream, and runs seen from another process."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from yarnml import __version__
from yarnml.cli import main
from yarnml.runs import RunDir, all_runs, wait_for

ROOT = Path(__file__).parents[1]
TINY = str(ROOT / "tests" / "tiny")
LONG = ["--epochs", "100000", "--pause", "0.01"]
COMMAND = [sys.executable, "-m", "yarnml"]


def environment(home: Path, **others: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return os.environ | {"HOME": str(home), "PYTHONPATH": path} | others


def yarnml(home: Path, *args: str, **others: str) -> subprocess.CompletedProcess[str]:
    env = environment(home, **others)
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, timeout=100, env=env, cwd=home)


def started(*args: str, home: Path) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*COMMAND, *args], env=environment(home), **pipes)


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    file = tmp_path / "table.csv"
    file.write_text("a,y\n" + "".join(f"{i},{i % 5}\n" for i in range(100)))
    return ["--data", str(file), "--label", "y"]


@pytest.fixture
def long_run(tmp_path: Path, data: list[str]) -> Iterator[tuple[subprocess.Popen[str], RunDir]]:
    """A run in a process of its own that would go on for long, seen to have begun."""
    runs = str(tmp_path / ".yarnml" / "runs")

    def begun() -> bool:
        found = all_runs(runs)
        glance = found[0].glance() if found else None
        return glance is not None and glance.clock is not None

    with started("run", TINY, *data, *LONG, "--json", home=tmp_path) as driver:
        try:
            assert wait_for(begun, 60), driver.communicate(timeout=1)
            yield driver, all_runs(runs)[0]
        finally:
            driver.kill()


def test_version_and_help_need_no_numba(tmp_path: Path) -> None:
    assert yarnml(tmp_path, "--version").stdout == f"yarnml {__version__}\n"
    shown = yarnml(tmp_path, "--help", PYTHONPROFILEIMPORTTIME="1")
    assert shown.returncode == 0
    assert "yarnml run APP" in shown.stdout
    assert not {"numba", "zmq", "tyro"} & {line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()}


def test_json_is_one_line_and_all_else_is_on_stderr(tmp_path: Path, data: list[str]) -> None:
    done = yarnml(tmp_path, "run", TINY, *data, "--test", "0.3", "--json")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert list(found) == ["run", "app", "state", "seconds", "model", "train", "test"]
    assert found["state"] == "succeeded"
    assert set(found["train"]) == {"rmse", "mae", "r2"}
    assert (Path(found["model"]) / "model.json").is_file()
    assert "table.csv: 100 rows" in done.stderr
    assert "label 'y'" in done.stderr


def test_without_json_the_scores_are_for_reading(tmp_path: Path, data: list[str]) -> None:
    done = yarnml(tmp_path, "run", TINY, *data)
    assert done.returncode == 0, done.stderr
    assert "train: rmse 1.4142" in done.stdout
    assert "clock" not in done.stdout


def test_a_run_that_fails(tmp_path: Path, data: list[str]) -> None:
    done = yarnml(tmp_path, "run", TINY, *data, "--fail", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["state"], found["model"]) == ("failed", None)
    assert "asked to fail" in found["message"]
    assert "asked to fail" in done.stderr
    logs = yarnml(tmp_path, "logs", found["run"])
    assert "worker-0" in logs.stdout
    assert "RuntimeError: asked to fail" in logs.stdout


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["run", TINY, "--epoch", "3"], "unknown flag --epoch; did you mean '--epochs'?"),
        (["run", TINY, "--workers", "0"], "--workers: expected a whole number at least 1, got 0"),
        (["run", TINY, "--data", "tabel.csv"], "did you mean 'table.csv'?"),
        (["run", TINY], "name yours with --data"),
        (["run", "./nothing"], "the folder of an app holds app.py"),
        (["run", "--workers", "2", TINY], "say the app before its flags"),
        (["submit", TINY], "submit needs data that the cluster can reach"),
        (["cluster", "statu"], "did you mean 'status'?"),
        (["run", TINY, "--data", "table.csv", "--runs", "table.csv"], "--runs"),
        (["status", "mlr"], "not found in"),
        (["run", TINY, "--data", "table.csv", "--resume", ""], "say a run's id"),
        (["run", "--resume", ""], "say a run's id"),
        (["run", TINY, "--data", "table.csv", "--dry-run", "--runs", "table.csv"], "--runs"),
        (["kil", "x"], "did you mean 'kill'?"),
        (["bench", "nothing"], "no bench 'nothing'"),
        (["data", "hed", "x"], "did you mean 'head'?"),
    ],
)
def test_what_is_refused_is_said_in_one_line(tmp_path: Path, data: list[str], args: list[str], says: str) -> None:
    done = yarnml(tmp_path, *args)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("yarnml: ")
    assert says in line
    assert not (tmp_path / ".yarnml").exists()


def test_json_tells_of_a_refusal_too(tmp_path: Path) -> None:
    done = yarnml(tmp_path, "run", TINY, "--json")
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert (found["run"], found["state"], found["test"]) == (None, "failed", {})


def test_a_dry_run_starts_nothing(tmp_path: Path, data: list[str]) -> None:
    done = yarnml(tmp_path, "run", TINY, *data, "--workers", "2", "--staleness", "none", "--dry-run")
    assert done.returncode == 0, done.stderr
    for said in ("100 rows", "--epochs 3", "2 workers", "staleness none", "m: 1 x 2 float32, 8 B", "/model"):
        assert said in done.stdout
    assert not (tmp_path / ".yarnml").exists()


def test_a_dry_run_keeps_standard_output_for_json(tmp_path: Path, data: list[str]) -> None:
    done = yarnml(tmp_path, "run", TINY, *data, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state"] == "planned"
    assert "nothing was started" in done.stderr


def test_names_that_are_not_ascii(tmp_path: Path) -> None:
    folder = tmp_path / "mit Leerzeichen ü"
    folder.mkdir()
    (folder / "täble.csv").write_text("a,y\n1,2\n2,3\n")
    args = ["run", TINY, "--data", str(folder / "täble.csv"), "--label", "y", "--out", str(folder / "mödel")]
    done = yarnml(tmp_path, *args, LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0, done.stderr
    assert (folder / "mödel" / "model.json").is_file()


def test_a_config_file_is_beaten_by_flags(tmp_path: Path, data: list[str]) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("epochs: 5\nseed: 7\nstaleness: none\n")
    done = yarnml(tmp_path, "run", TINY, *data, "--config", str(file), "--seed", "8", "--dry-run")
    assert "--epochs 5" in done.stdout
    assert "staleness none, seed 8" in done.stdout
    file.write_text("epoch: 5\n")
    done = yarnml(tmp_path, "run", TINY, *data, "--config", str(file))
    assert done.returncode == 2
    assert f"--config {file}: unknown key 'epoch'; did you mean 'epochs'?" in done.stderr


def test_a_run_is_seen_followed_and_killed_from_another_terminal(
    tmp_path: Path, long_run: tuple[subprocess.Popen[str], RunDir]
) -> None:
    driver, run = long_run
    assert "running" in yarnml(tmp_path, "runs").stdout
    status = yarnml(tmp_path, "status", run.id).stdout
    assert f"pid {driver.pid}" in status
    assert "clock" in status
    with started("logs", run.id, "-f", home=tmp_path) as follower:
        killed = yarnml(tmp_path, "kill", run.id)
        assert killed.returncode == 0, killed.stderr
        assert f"run {run.id} has ended: killed" in killed.stdout
        out, err = driver.communicate(timeout=30)
        assert driver.returncode == 143
        assert json.loads(out)["state"] == "killed"
        assert "killed" in err
        followed, _ = follower.communicate(timeout=30)
    assert "driver" in followed
    assert "killed" in yarnml(tmp_path, "runs").stdout
    again = yarnml(tmp_path, "kill", run.id)
    assert (again.returncode, again.stdout) == (0, "")
    assert "has ended already: killed" in again.stderr


@pytest.mark.parametrize(
    ("number", "code", "state"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "killed")]
)
def test_signals(long_run: tuple[subprocess.Popen[str], RunDir], number: signal.Signals, code: int, state: str) -> None:
    driver, run = long_run
    driver.send_signal(number)
    out, _ = driver.communicate(timeout=30)
    assert driver.returncode == code
    assert json.loads(out)["state"] == state
    assert run.record().state == state


def test_a_run_that_does_not_heed_ctrl_c_is_left_behind_at_the_second(tmp_path: Path, data: list[str]) -> None:
    """The work holds on to native code, in which Python's own end would crash."""
    app = tmp_path / "deaf"
    app.mkdir()
    source = Path(TINY, "app.py").read_text().replace("time.sleep(cfg.pause)", "hold()")
    hold = "\n\ndef hold() -> None:\n    a = np.ones((300, 300))\n    while True:\n        a = a @ a / 300\n"
    (app / "app.py").write_text(source + hold)
    runs = str(tmp_path / ".yarnml" / "runs")
    with started("run", str(app), *data, "--json", home=tmp_path) as driver:
        try:
            assert wait_for(lambda: any(run.metrics().num_rows for run in all_runs(runs)), 60)
            assert wait_for(lambda: _interrupted(driver), 20, every=0.5)
            out, err = driver.communicate(timeout=20)
        finally:
            driver.kill()
    assert driver.returncode == 130, err
    assert json.loads(out)["state"] == "interrupted"
    assert "Fatal" not in err
    assert "Traceback" not in err
    assert all_runs(runs)[0].record().state == "interrupted"


def _interrupted(driver: subprocess.Popen[str]) -> bool:
    """Press Ctrl-C; whether the driver is gone."""
    driver.send_signal(signal.SIGINT)
    return driver.poll() is not None


@pytest.mark.parametrize(
    ("number", "code", "state"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "killed")]
)
def test_signals_before_there_is_a_run(tmp_path: Path, number: signal.Signals, code: int, state: str) -> None:
    app = tmp_path / "slow"
    app.mkdir()
    begun = tmp_path / "begun"
    (app / "app.py").write_text(f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(60)\n")
    with started("run", str(app), "--json", home=tmp_path) as driver:
        try:
            assert wait_for(begun.exists, 30)
            driver.send_signal(number)
            out, err = driver.communicate(timeout=20)
        finally:
            driver.kill()
    assert driver.returncode == code
    found = json.loads(out)
    assert (found["run"], found["state"]) == (None, state)
    assert len(err.splitlines()) == 1


def test_a_full_disk_in_runs_changes_no_verdict(
    tmp_path: Path, data: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fail(*_: Any, **__: Any) -> None:
        raise full

    for name in ("append", "log", "beat", "asked_to_end", "end"):
        monkeypatch.setattr(RunDir, name, fail)
    out = tmp_path / "model"
    code = main(["run", TINY, *data, "--out", str(out), "--runs", str(tmp_path / "runs"), "--json"])
    said = capsys.readouterr()
    assert code == 0
    assert json.loads(said.out)["state"] == "succeeded"
    assert (out / "model.json").is_file()
    for what in ("its metrics", "its log", "its status", "how it ended"):
        (line,) = (line for line in said.err.splitlines() if line.startswith(f"{what} can't be recorded in "))
        assert "No space left on device" in line


def test_a_run_whose_driver_was_killed_is_lost(tmp_path: Path, long_run: tuple[subprocess.Popen[str], RunDir]) -> None:
    driver, run = long_run
    driver.kill()
    driver.communicate(timeout=30)
    assert run.record().state == "lost"
    assert "lost" in yarnml(tmp_path, "runs").stdout
    killed = yarnml(tmp_path, "kill", run.id)
    assert "has ended already: lost" in killed.stderr


def test_several_processes(tmp_path: Path, data: list[str]) -> None:
    done = yarnml(tmp_path, "run", TINY, *data, "--workers", "2", "--servers", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["train"]["rmse"] == pytest.approx(2**0.5)


def test_data(tmp_path: Path, data: list[str]) -> None:
    table = data[1]
    assert yarnml(tmp_path, "data", "head", table, "-n", "2").stdout.split() == ["a", "y", "0", "0", "1", "1"]
    assert "100 rows" in yarnml(tmp_path, "data", "describe", table, "--label", "a").stdout
    copied = yarnml(tmp_path, "data", "copy", table, str(tmp_path / "copy.csv"))
    assert copied.returncode == 0, copied.stderr
    assert (tmp_path / "copy.csv").read_bytes() == Path(table).read_bytes()
    assert yarnml(tmp_path, "data", "copy", table, str(tmp_path / "copy.csv")).returncode == 2


def test_a_copy_replaces_only_an_earlier_one(tmp_path: Path, data: list[str]) -> None:
    def copy(*args: str) -> tuple[int, str]:
        done = yarnml(tmp_path, "data", "copy", *args)
        return done.returncode, done.stderr

    for name in ("src/a.csv", "src/b.csv", "other/mine.txt", "out/a.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"x\n{len(name)}\n")
    for dst, says in {
        "": "names no place",
        ".": "is the working directory",
        "src/c": "lies in SRC src",
        "./": "is SRC src",
        "other": "neither a model nor a data set",
        "other/mine.txt": "a file that yarnml didn't make",
    }.items():
        code, said = copy("src", dst, "--overwrite")
        assert (code, len(said.splitlines())) == (2, 1)
        assert says in said
    assert "say --overwrite" in copy("src", "out")[1]
    assert copy("src", "out", "--overwrite")[0] == 0
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["a.csv", "b.csv"]
    assert copy("src/b.csv", "out/a.csv", "--overwrite")[0] == 0
    assert "didn't make" in copy("src/b.csv", "other/mine.txt", "--overwrite")[1]
