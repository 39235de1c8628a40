"""Lone: the checkpoints of a run whose only worker holds its tables: nobody else marks clocks for it."""

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

    def mark(self, clock: int) -> tuple[int, str] | None:
        """In `clock`: the checkpoint to take next."""
        if self._pending is None and not self._never and time.monotonic() >= self._due:
            self._pending = clock + 1, join(checkpoints.directory(self._job), f".{clock + 1}-0")
        return self._pending

    def marked(self, clock: int, error: str) -> None:
        """It is written, or can't be; called by the thread that wrote it."""
        assert self._pending is not None
        url = self._pending[1]
        try:
            if not error:
                checkpoints.commit(self._job, 0, clock, url)
        except (OSError, DataError) as fault:
            error = short(fault)
        if error:
            checkpoints.discard(url)
            self._never |= error == ANEW
            self._on_news(Say(f"no checkpoint{'s' if error == ANEW else ' this time'}: {error}"))
        self._due = time.monotonic() + self._job.checkpoint_every
        self._pending = None
