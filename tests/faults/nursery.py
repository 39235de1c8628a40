"""A nursery: a process that has imported all that parts of a run need, and forks one at each wish.

A new interpreter, with its kernels, takes seconds on a busy machine; a run with faults starts many. Wishes come as JSON
lines on standard input, `[log, arguments]`; answers are `started PID` and `ended PID STATUS`. It ends when its input
does, and all that it has forked with it.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Queue
from typing import NoReturn, final

from yarnml.launch.process import environment

PR_SET_PDEATHSIG = 1
LOOK = 0.02  # s


@final
class Child:
    """A process that the nursery has forked."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.status: int | None = None  # as waitpid says it

    def signal(self, number: int) -> None:
        if self.status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    @property
    def how(self) -> str:
        """How it ended."""
        code = os.waitstatus_to_exitcode(self.status or 0)
        return f"(pid {self.pid}) ended with exit code {code}"


@final
class Nursery:
    """The test's end of it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.nursery"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment(1),
        )  # fmt: skip
        self._started: Queue[int] = Queue()
        self._children: dict[int, Child] = {}
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()

    def start(self, arguments: Sequence[str], log: Path) -> Child:
        assert self._process.stdin is not None
        print(json.dumps([str(log), arguments]), file=self._process.stdin, flush=True)
        return self._children[self._started.get(timeout=60)]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._listening.join()
        self._process.wait(10)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout:
            for line in self._process.stdout:
                what, pid, *status = line.split()
                if what == "started":
                    self._children[int(pid)] = Child(int(pid))
                    self._started.put(int(pid))
                else:
                    self._children[int(pid)].status = int(status[0])


def main() -> None:
    from tests.faults import part  # imports what the test's end doesn't need

    part.warm_up()
    running: set[int] = set()
    while True:
        if select.select([sys.stdin], [], [], LOOK)[0]:
            wish = sys.stdin.readline()
            if not wish:
                break
            log, arguments = json.loads(wish)
            pid = os.fork()
            if pid == 0:
                _be(part.main, log, arguments)
            running.add(pid)
            print("started", pid, flush=True)
        for pid in list(running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                running.remove(pid)
                print("ended", pid, status, flush=True)
    for pid in running:
        os.kill(pid, signal.SIGKILL)


def _be(part: Callable[[], None], log: str, arguments: list[str]) -> NoReturn:
    """What was forked becomes a part."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv[1:] = arguments
    try:
        part()
    except BaseException:  # noqa: BLE001 (the fork must not go on as a nursery)
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
