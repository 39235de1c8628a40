"""A process of this machine ends when it is told to, and the way it ended is said."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from yarnml.comm.seat import Seat
from yarnml.launch.process import RoleProcess, end, environment, python

WAIT = 20.0
Start = Callable[[str], RoleProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a process that runs some Python, and waits until it has said a word."""
    started: list[RoleProcess] = []

    def make(code: str) -> RoleProcess:
        command = [sys.executable, "-c", f"import os, signal, sys, time\nprint('here')\n{code}"]
        process = RoleProcess(Seat("worker", len(started)), command, log=tmp_path / f"{len(started)}.log", threads=3)
        started.append(process)
        until(lambda: "here" in process.words())
        return process

    yield make
    end(started)


def until(true: Callable[[], object]) -> None:
    limit = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("sys.exit(0)", "ended with exit code 0"),
        ("sys.exit(3)", "ended with exit code 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "was killed by SIGKILL (by hand, or by the system for want of memory)",
        ),
    ],
)
def test_how_a_process_ended(start: Start, code: str, how: str) -> None:
    process = start(code)
    until(process.exited)
    assert process.exited() == f"(pid {process.pid}) {how}"


def test_its_end_is_news_once(start: Start) -> None:
    process = start("")
    until(process.exited)
    assert process.news() is not None
    assert process.news() is None


@pytest.mark.parametrize(
    "stubborn", ["time.sleep(60)", "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"]
)
def test_nothing_is_left_running(start: Start, stubborn: str) -> None:
    process = start(f"{stubborn}")
    end([process], grace=0.3)
    assert process.exited() is not None


def test_a_stopped_process_and_what_it_started_end_too(start: Start) -> None:
    process = start("import subprocess; subprocess.Popen(['sleep', '60']); print('child'); time.sleep(60)")
    until(lambda: "child" in process.words())
    [child] = psutil.Process(process.pid).children()
    process.signal(signal.SIGSTOP)
    end([process])
    assert "SIGTERM" in (process.exited() or "")
    until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_what_a_process_leaves_behind_ends_with_it(start: Start) -> None:
    process = start("import subprocess; print('child', subprocess.Popen(['sleep', '60']).pid, flush=True)")
    until(process.exited)
    child = int(process.words().split()[-1])
    until(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)
    assert process.exited() == f"(pid {process.pid}) ended with exit code 0"


def test_a_process_that_is_stopped_is_seen_until_it_goes_on(start: Start) -> None:
    process = start("time.sleep(60)")
    assert process.stopped() == 0.0
    process.signal(signal.SIGSTOP)
    until(lambda: process.stopped() > 0.05)
    process.signal(signal.SIGCONT)
    until(lambda: process.stopped() == 0.0)
    assert process.exited() is None


def test_cores_and_memory_are_set_before_python_starts(start: Start) -> None:
    process = start("print(os.environ['OMP_NUM_THREADS'], os.environ['MALLOC_TOP_PAD_'])")
    until(process.exited)
    assert process.words().split() == ["here", "3", str(64 << 20)]
    assert environment(2)["NUMBA_NUM_THREADS"] == "2"


def test_a_command_names_its_flags() -> None:
    assert python("a.b", role="worker", index=1)[1:] == ["-P", "-m", "a.b", "--role", "worker", "--index", "1"]
