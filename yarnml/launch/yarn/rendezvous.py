"""The rendezvous: how the containers of a run find their scheduler, by a file in the run's directory.

It outlives schedulers: who comes next learns from it which generation is to follow, and since when the run goes on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import final

from hdfs_io import DataError, exists, join, read_text, write_text
from yarnml.errors import PeerLost

LOOK = 0.25  # seconds between two looks


@final
@dataclass(frozen=True)
class Rendezvous:
    attempt: str  # of the application: each has its own containers
    address: str  # where its scheduler listens; empty: it is gone, another is to come
    generation: int  # of the run
    since: float  # when its first scheduler began, in seconds since 1970


def publish(run: str, now: Rendezvous) -> None:
    """Say how things stand."""
    write_text(_file(run), json.dumps(asdict(now)))


def latest(run: str) -> Rendezvous | None:
    """What was published last; None if nothing was, or the run is over."""
    url = _file(run)
    return Rendezvous(**json.loads(read_text(url))) if exists(url) else None


def withdraw(run: str, attempt: str) -> None:
    """The scheduler of this attempt is gone: spare others the way to where it was."""
    there = latest(run)
    if there is not None and there.attempt == attempt:
        publish(run, replace(there, address=""))


def find(run: str, attempt: str, seconds: float, over: Callable[[], bool] = lambda: False) -> Rendezvous | None:
    """Where the attempt's scheduler is, once there is one; None if the run is `over` before.

    PeerLost after so many seconds.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            there = latest(run)
        except DataError:  # removed between two looks: the run ends
            there = None
        if there is not None and there.attempt == attempt and there.address:
            return there
        if over():
            return None
        if time.monotonic() >= until:
            raise PeerLost(f"the scheduler's container did not come within {seconds:g} s")
        time.sleep(LOOK)


def attempt_of(container: str) -> str:
    """The attempt in a container's name: `01` of container_e17_1700000000000_0042_01_000003."""
    parts = container.split("_")
    return parts[-2] if len(parts) >= 4 else "01"


def application_of(container: str) -> str:
    """The application in a container's name: application_1700000000000_0042."""
    return "_".join(["application", *container.split("_")[-4:-2]])


def _file(run: str) -> str:
    return join(run, "start/scheduler")
