"""Lone: the checkpoints of a run whose only worker holds its tables: nobody else marks clocks for it.

Where the run is to end, one is taken of the clock that has just ended, and then it does.
"""

from __future__ import annotations

import time
from typing import final

from hdfs_io import DataError, join
from yarnml import checkpoints
from yarnml.comm.company import ANEW
from yarnml.comm.effects import Say
from yarnml.job import Job
from yarnml.launch.fault import short
from yarnml.launch.launcher import OnNews


@final
class Lone:
    """One at a time."""

    def __init__(self, job: Job, on_news: OnNews) -> None:
        self._job, self._on_news = job, on_news
        self._due = time.monotonic() + job.checkpoint_every
        self._pending: tuple[int, str] | None = None
        self._never = not job.checkpoint_every
        self._kept = job.resume_clock  # clocks that the last one holds
        self._until: float | None = None  # the run is to end: by then

    def mark(self, clock: int) -> tuple[int, str] | None:
        """As `clock` begins: the checkpoint to take next."""
        if self._pending is None and not self._never:
            if self._until is not None:
                self._pending = self._at(clock)
            elif time.monotonic() >= self._due:
                self._pending = self._at(clock + 1)
        return self._pending

    def ends(self, clock: int) -> bool:
        """As `clock` begins, of a run that is to end: whether all that was done is kept by now, or can't be."""
        now = time.monotonic()
        if self._until is None:
            self._until = now + self._job.respite
        nothing = self._job.clock_of(clock) == 0
        return nothing or self._never or self._kept == clock or now >= self._until

    def _at(self, clock: int) -> tuple[int, str]:
        return clock, join(checkpoints.directory(self._job), f".{clock}-0")

    def marked(self, clock: int, error: str) -> None:
        """It is written, or can't be; called by the thread that wrote it."""
        assert self._pending is not None
        url = self._pending[1]
        try:
            if not error:
                checkpoints.commit(self._job, 0, clock, url)
                self._kept = clock
        except (OSError, DataError) as fault:
            error = short(fault)
        if error:
            checkpoints.discard(url)
            self._never |= error == ANEW or self._until is not None
            self._on_news(Say(f"no checkpoint{'s' if error == ANEW else ' this time'}: {error}"))
        self._due = time.monotonic() + self._job.checkpoint_every
        self._pending = None
