"""Staying: a container ends well only once its run's end is written down, else it is started anew.

Skein gives no other container for one that ended with 0. So whoever still could be needed, because the scheduler may
die between its last word and writing it down, or because others may have to go back, waits for that.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress

from hdfs_io import DataError
from yarnml.launch.yarn import rendezvous
from yarnml.runs import RunDir

AGAIN = 76  # exit code of a process in whose place another is to be started, for a reason that needs no telling
LOOK = 0.5  # seconds between two looks
HEARD = 30.0  # seconds in which the scheduler writes down the end that it has told


def stay(run: RunDir, generation: float = math.inf, seconds: float = math.inf) -> int:
    """Wait for the end of the run: 0. AGAIN after so many seconds, or once it has gone back after `generation`."""
    until = time.monotonic() + seconds
    while True:
        with suppress(DataError, OSError):
            if run.ended:
                return 0
            there = rendezvous.latest(run.url)
            if there is not None and there.generation > generation:
                return AGAIN
        if time.monotonic() >= until:
            return AGAIN
        time.sleep(LOOK)
