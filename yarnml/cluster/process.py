"""A process, told apart from any later one that is given the same pid."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """A pid together with what no other process has had under this pid."""

    pid: int
    start: int  # clock ticks from boot to the process's start
    boot: str  # this boot's id: ticks begin anew with each boot

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """The process that has this pid now; None if there is none, or only its exit code is left."""
        state, threads, start = _stat(pid)
        # as a process is killed its first thread can be gone while others still hold its ports
        gone = state == "X" or (state == "Z" and threads <= 1)
        return None if gone else cls(pid, start, _boot())

    @property
    def alive(self) -> bool:
        return Process.of(self.pid) == self

    def signal(self, number: signal.Signals) -> None:
        """Signal this very process; nothing happens if it is gone, even if its pid lives on."""
        with contextlib.suppress(ProcessLookupError):
            # the descriptor holds on to the process, so that the pid can't be given away between look and shot
            descriptor = os.pidfd_open(self.pid)
            try:
                if self.alive:
                    signal.pidfd_send_signal(descriptor, number)
            finally:
                os.close(descriptor)

    @property
    def resident(self) -> int:
        """Bytes of memory that it holds; 0 once it is gone."""
        try:
            pages = int((PROC / str(self.pid) / "statm").read_text().split()[1])
        except (OSError, IndexError):
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE") if self.alive else 0


def end(processes: Iterable[Process], patience: float = 20.0) -> int:
    """Terminate processes, and kill those that are still there after `patience` seconds; how many were alive."""
    alive = [process for process in processes if process.alive]
    for process in alive:
        process.signal(signal.SIGTERM)
    if not _gone(alive, patience):
        for process in alive:
            process.signal(signal.SIGKILL)
        _gone(alive, 10.0)
    return len(alive)


def find(argument: str, variable: str | None = None) -> Iterator[Process]:
    """Processes of this user with this command line argument, or with an environment variable that begins so."""
    start = os.fsencode(variable) if variable else None
    for entry in PROC.iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # gone meanwhile, or another user's
            arguments = (entry / "cmdline").read_bytes().split(b"\0")
            variables = (entry / "environ").read_bytes().split(b"\0")
            mine = os.fsencode(argument) in arguments or (start and any(v.startswith(start) for v in variables))
            if mine and (process := Process.of(int(entry.name))):
                yield process


def _gone(processes: list[Process], patience: float) -> bool:
    deadline = time.monotonic() + patience
    while any(process.alive for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _stat(pid: int) -> tuple[str, int, int]:
    """State, number of threads, and clock ticks from boot to its start."""
    try:
        text = (PROC / str(pid) / "stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return "X", 0, 0
    after_name = text.rpartition(b")")[2].split()  # the name may hold spaces and parentheses
    return after_name[0].decode(), int(after_name[17]), int(after_name[19])


def _boot() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text().strip()
