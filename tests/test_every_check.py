"""`tests/run`: it passes when all checks pass, fails when one does, and leaves none behind."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "run"
PASSES = "#!/bin/sh\nexit 0\n"
PYTEST = """#!/bin/sh
case "$*" in
    *"not hadoop"*) eval "$HERE" ;;
    *) eval "$THERE" ;;
esac
"""


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An environment whose tools only look like it."""
    (tmp_path / "bin").mkdir()
    for name in ("pip", "ruff", "mypy", "lint-imports", "pytest"):
        (tmp_path / "bin" / name).write_text(PYTEST if name == "pytest" else PASSES)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def start(venv: Path, here: str, there: str) -> subprocess.Popen[str]:
    """`here`, `there`: what the tests on this machine do, and those on a real cluster."""
    environment = {**os.environ, "VENV": str(venv), "HERE": here, "THERE": there}
    return subprocess.Popen([RUN], env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize(
    ("here", "there", "code"),
    [
        ("exit 0", "exit 0", 0),
        ("exit 1", "exit 0", 1),
        ("exit 0", "exit 1", 1),
        ('case "$*" in *--ignore*) exit 1 ;; esac', "exit 0", 1),
        ('case "$*" in *--ignore*) ;; *) exit 1 ;; esac', "exit 0", 1),
    ],
)
def test_it_fails_if_any_does(venv: Path, here: str, there: str, code: int) -> None:
    with start(venv, here, f"echo on a cluster; {there}") as running:
        said, _ = running.communicate(timeout=60)
    assert running.returncode == code
    assert "on a cluster" in said


@pytest.mark.parametrize("tool", ["ruff", "mypy", "lint-imports"])
def test_it_fails_before_the_tests_if_style_or_types_do(venv: Path, tool: str) -> None:
    (venv / "bin" / tool).write_text("#!/bin/sh\nexit 3\n")
    with start(venv, "echo tested", "true") as running:
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 3
    assert "tested" not in said


def test_no_test_is_in_neither_stream(venv: Path, tmp_path: Path) -> None:
    """What one leaves out, the other has."""
    with start(venv, f'echo "$*" >> {tmp_path}/streams', "true") as running:
        running.communicate(timeout=60)
    streams = (tmp_path / "streams").read_text().splitlines()
    [without] = [line for line in streams if "--ignore" in line]
    [alone] = [line for line in streams if "--ignore" not in line]
    folders = [word for word in alone.split() if word.startswith("tests/")]
    assert folders
    assert [f"--ignore={folder}" for folder in folders] == [w for w in without.split() if w.startswith("--ignore")]
    assert all((RUN.parent.parent / folder).is_dir() for folder in folders)


def test_interrupted_it_ends_those_on_the_cluster_too(venv: Path, tmp_path: Path) -> None:
    """They take their cluster down at SIGINT."""
    down = tmp_path / "down"
    there = f'trap "touch {down}; exit 1" INT; echo $$ > {tmp_path}/there; while :; do sleep 0.1; done'
    here = f"echo >> {tmp_path}/here; while ! [ -s {tmp_path}/there ]; do sleep 0.05; done; kill -INT $PPID; exit 1"
    with start(venv, here, there) as running:
        try:
            running.communicate(timeout=60)
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
    assert running.returncode != 0
    assert down.exists()
    assert (tmp_path / "here").read_text() == "\n"  # what was to follow in the other stream has not begun
