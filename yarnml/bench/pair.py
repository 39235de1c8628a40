"""A pair of processes, a server and its client, that runs one trial at a time; and pairs measured turn by turn."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any, final

from yarnml.launch.process import MALLOC  # both sides keep their memory as roles do

Trial = Callable[[], float]


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


def main(servers: Mapping[str, Callable[[], None]], clients: Mapping[str, Callable[[str], Trial]]) -> None:
    """What a module of sides does: serve, or print a figure for each line it reads."""
    role, name, *address = sys.argv[1:]
    if role == "server":
        servers[name]()
        return
    trial = clients[name](*address)
    for _ in sys.stdin:
        print(trial(), flush=True)
    os._exit(0)


def end_with_stdin() -> None:
    """A server ends with its stdin, whatever it does."""

    def wait() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def timed(call: Callable[[], Any]) -> float:
    """Microseconds."""
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1e6


def _start(module: str, *args: str) -> subprocess.Popen[str]:
    env = os.environ | MALLOC | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", module, *args]
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} ended with {process.wait()}")
    return line.strip()
