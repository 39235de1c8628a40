"""A pair of processes, a server and its client, that runs one trial at a time; and pairs measured turn by turn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import final

# Page faults on fresh message buffers cost more than anything else: both sides keep theirs.
TUNED = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(4 << 30),
    "MALLOC_TOP_PAD_": str(64 << 20),
}


@final
class Pair:
    """`python -m module server NAME` prints its address; `... client NAME ADDRESS` a figure for each line it reads.

    Both end when their stdin does.
    """

    def __init__(self, module: str, name: str) -> None:
        self._server = _start(module, "server", name)
        address = _line(self._server)
        self._client = _start(module, "client", name, address)

    def trial(self) -> float:
        """One figure."""
        assert self._client.stdin is not None
        self._client.stdin.write("go\n")
        self._client.stdin.flush()
        return float(_line(self._client))

    def close(self) -> None:
        """End both."""
        for process in (self._client, self._server):
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()


def compare(ours: Pair, peer: Pair, rounds: int) -> tuple[float, float, float]:
    """Medians of ours, the peer's, and their ratio over trials next to each other; then both are closed."""
    try:
        for pair in (ours, peer, ours, peer):  # warm up
            pair.trial()
        figures = [(ours.trial(), peer.trial()) for _ in range(rounds)]
    finally:
        ours.close()
        peer.close()
    return median(a for a, _ in figures), median(b for _, b in figures), median(a / b for a, b in figures)


def serve_trials(trial: Callable[[], float]) -> None:
    """The client's loop."""
    for _ in sys.stdin:
        print(trial(), flush=True)


def _start(module: str, *args: str) -> subprocess.Popen[str]:
    env = os.environ | TUNED | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", module, *args]
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} ended with {process.wait()}")
    return line.strip()
