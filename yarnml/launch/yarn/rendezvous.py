"""The rendezvous: how the containers of a run find their scheduler, by a file in the run's directory."""

from __future__ import annotations

import time
from collections.abc import Callable

from hdfs_io import exists, join, read_text, write_text
from yarnml.errors import PeerLost

LOOK = 0.25  # seconds between two looks


def publish(run: str, attempt: str, address: str) -> None:
    """Say where the scheduler of an attempt listens."""
    write_text(_file(run, attempt), address)


def find(run: str, attempt: str, seconds: float, over: Callable[[], bool] = lambda: False) -> str | None:
    """The scheduler's address once there is one; None if the run is `over` before. PeerLost after so many seconds."""
    until = time.monotonic() + seconds
    url = _file(run, attempt)
    while not exists(url):
        if over():
            return None
        if time.monotonic() >= until:
            raise PeerLost(f"the scheduler's container did not come within {seconds:g} s")
        time.sleep(LOOK)
    return read_text(url)


def attempt_of(container: str) -> str:
    """The attempt in a container's name: `01` of container_e17_1700000000000_0042_01_000003."""
    parts = container.split("_")
    return parts[-2] if len(parts) >= 4 else "01"


def _file(run: str, attempt: str) -> str:
    return join(run, f"start/scheduler-{attempt}")
