"""A process is ended only if it is the very one that was recorded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from yarnml.cluster.ports import Address, is_free
from yarnml.cluster.process import Process, end, find


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "60"], env={"PLACE": "/here/it is"})
    yield process
    process.kill()
    process.wait()


def identity(pid: int) -> Process:
    process = Process.of(pid)
    assert process is not None
    return process


def test_a_recycled_pid_is_another_process(child: subprocess.Popen[bytes]) -> None:
    real = identity(child.pid)
    for other in (replace(real, start=real.start - 1), replace(real, boot="an earlier boot")):
        assert not other.alive
        assert other.resident == 0
        assert end([other]) == 0
        assert child.poll() is None
    assert real.alive


def test_the_very_process_is_ended_and_counted(child: subprocess.Popen[bytes]) -> None:
    real = identity(child.pid)
    assert real.resident > 0
    assert end([real], patience=10) == 1
    assert not real.alive  # though this test hasn't waited for it yet: only its exit code is left
    assert end([real]) == 0


def test_one_that_takes_no_hint_is_killed() -> None:
    deaf = subprocess.Popen(["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"], stdout=subprocess.PIPE)
    assert deaf.stdout is not None
    assert deaf.stdout.readline() == b"ready\n"
    assert end([identity(deaf.pid)], patience=0.2) == 1
    assert deaf.wait(timeout=10) == -9
    deaf.stdout.close()


HELD = """
import socket, threading
for i in range(40):
    threading.Thread(target=threading.Event().wait).start()
held = bytearray(64 << 20)  # what is long to give back
held[::4096] = b"x" * len(held[::4096])
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
"""


def test_a_killed_process_is_there_until_its_ports_are_free() -> None:
    for _ in range(5):
        with subprocess.Popen([sys.executable, "-c", HELD], stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout is not None
            port = int(holder.stdout.readline())
            real = identity(holder.pid)
            real.signal(signal.SIGKILL)
            deadline = time.monotonic() + 60
            while real.alive:
                assert time.monotonic() < deadline
            assert is_free(Address("127.0.0.1", port))


def test_none_has_a_pid_that_nobody_has() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert Process.of(gone.pid) is None


def test_processes_are_found_by_argument_and_by_environment(child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 10  # until the child has become `sleep`
    while [p.pid for p in find("no such argument", "PLACE=/here/")] != [child.pid]:
        assert time.monotonic() < deadline
    assert child.pid in [p.pid for p in find("60")]
    assert child.pid not in [p.pid for p in find("6", "PLACE=/there")]
    assert os.getpid() not in [p.pid for p in find("60", "PATH=")]
