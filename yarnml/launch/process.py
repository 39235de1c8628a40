"""A role process on this machine: started with a log of its own, and ended for sure."""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import final

from yarnml.comm.seat import Seat

TAIL = 1 << 14  # bytes of a log that may be quoted
CHUNK = 1 << 16  # bytes
REAPED = 5.0  # s for a killed process to be gone, on a busy machine
# Fresh message buffers of 1 MB cost more in page faults than in copying: malloc is to keep its memory, and, where the
# kernel leaves it to programs (THP madvise), to have it in pages of 2 MB.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(4 << 30),
    "MALLOC_TOP_PAD_": str(64 << 20),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


@final
class RoleProcess:
    """One child. It leads a session of its own, so that Ctrl-C reaches the launcher alone, which then ends all."""

    def __init__(self, seat: Seat, command: Sequence[str], *, log: Path, threads: int, pipe: bool = False) -> None:
        """`pipe`: what it writes to standard output is read by `said`, and doesn't go to the log."""
        self.seat = seat
        self.log = log
        self._told = False
        self._stopped = math.inf  # since when, on the monotonic clock
        with log.open("ab") as output:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,  # its end tells the child that we are gone
                stdout=subprocess.PIPE if pipe else output,
                stderr=output,
                env=environment(threads),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        assert self._popen.stdin is not None
        with suppress(BrokenPipeError):
            self._popen.stdin.write(line.encode() + b"\n")
            self._popen.stdin.flush()

    def said(self, timeout: float) -> bytes | None:
        """What it has written since, b"" if it will write no more, None if nothing comes within `timeout` seconds."""
        assert self._popen.stdout is not None
        readable, _, _ = select.select([self._popen.stdout], [], [], timeout)
        return os.read(self._popen.stdout.fileno(), CHUNK) if readable else None

    def exited(self) -> str | None:
        """How it ended, None while it runs. What it had started, and left running, ends with it."""
        if self._popen.returncode is None and _waitable(self.pid, os.WEXITED):
            self._kill_group()
        code = self._popen.poll()
        if code is None:
            return None
        if code >= 0:
            return f"(pid {self.pid}) ended with exit code {code}"
        name = next((s.name for s in signal.Signals if s == -code), f"signal {-code}")
        hint = " (by hand, or by the system for want of memory)" if -code == signal.SIGKILL else ""
        return f"(pid {self.pid}) was killed by {name}{hint}"

    def stopped(self) -> float:
        """Seconds for which it has been seen stopped, by SIGSTOP or a debugger, whenever this was called."""
        now = time.monotonic()
        stopped = self._popen.returncode is None and _waitable(self.pid, os.WSTOPPED)
        self._stopped = min(self._stopped, now) if stopped else math.inf
        return max(0.0, now - self._stopped)

    def _kill_group(self) -> None:
        """As long as it isn't reaped, its number can't be another's."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def signal(self, *signals: signal.Signals) -> None:
        """Send to it and to whatever it has started."""
        if self.exited() is None:
            with suppress(ProcessLookupError):
                for number in signals:
                    os.killpg(self.pid, number)

    def close(self) -> None:
        """Let go of its standard input, at which it would end if it still ran, and output."""
        for stream in (self._popen.stdin, self._popen.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def news(self) -> str | None:
        """How it ended, told once."""
        how = self.exited()
        told, self._told = self._told, how is not None
        return None if told else how

    def words(self) -> str:
        """The end of its log."""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - TAIL))
            return file.read(TAIL).decode(errors="replace")


def end(processes: Iterable[RoleProcess], grace: float = 5.0) -> None:
    """Leave none running: they have `grace` seconds after SIGTERM, and then are killed."""
    processes = list(processes)
    running = _wait(processes, 0.0)
    for process in running:
        process.signal(signal.SIGTERM, signal.SIGCONT)  # a stopped one hears SIGTERM only once it goes on
    running = _wait(running, grace)
    for process in running:
        process.signal(signal.SIGKILL)
    stuck = _wait(running, REAPED)
    for process in processes:
        process.close()
    if stuck:
        pids = ", ".join(str(process.pid) for process in stuck)
        raise TimeoutError(f"processes {pids} don't end, not even by SIGKILL: their host's disk or kernel may hang")


def _wait(processes: list[RoleProcess], seconds: float) -> list[RoleProcess]:
    """Those that still run after so long."""
    until = time.monotonic() + seconds
    while processes := [process for process in processes if process.exited() is None]:
        if time.monotonic() >= until:
            break
        time.sleep(0.01)
    return processes


def _waitable(pid: int, change: int) -> bool:
    """Whether a child has ended or stopped, without taking note of it."""
    try:
        return os.waitid(os.P_PID, pid, change | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return False


def environment(threads: int) -> dict[str, str]:
    """What a role process starts with on this machine."""
    env = os.environ | settings(threads)
    root = str(Path(__file__).resolve().parents[2])
    if root != sysconfig.get_path("purelib"):  # a checkout that may not be installed
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [root, env.get("PYTHONPATH", "")]))
    return env


def settings(threads: int) -> dict[str, str]:
    """What has to be set in its environment before a role's Python starts."""
    fixed = {
        "PYTHONUNBUFFERED": "1",  # a log shows the last line before a crash
        "PYTHONFAULTHANDLER": "1",  # and a crash of native code shows the Python line
    }
    cores = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return fixed | MALLOC | dict.fromkeys(cores, str(threads))


def python(module: str, **flags: object) -> list[str]:
    """This interpreter running `module`; -P: a file of the user's working directory must not shadow a package."""
    pairs = [(f"--{flag}", str(value)) for flag, value in flags.items()]
    return [sys.executable, "-P", "-m", module, *(word for pair in pairs for word in pair)]
