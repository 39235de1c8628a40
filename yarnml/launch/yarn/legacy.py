"""A legacy: what a scheduler takes over from the one that was there before it, by the run's directory."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self, final

from yarnml.launch.yarn import rendezvous
from yarnml.runs import RunDir


@final
@dataclass(frozen=True, kw_only=True)
class Legacy:
    generation: int = 0  # to begin with
    since: float  # when the run's first scheduler began, in seconds since 1970
    restarts: int = 0  # deaths that the run was brought back from, the last scheduler's too
    why: str = ""  # it is not the first

    @classmethod
    def of(cls, run: RunDir, attempt: str) -> Self:
        """`attempt`: of the application, in which the new scheduler runs."""
        before = rendezvous.latest(run.url)
        if before is None:
            return cls(since=time.time())
        ended = "the scheduler's container ended"
        if before.attempt != attempt:
            ended = "the application's master ended, and with it all containers"
        glance = run.glance()
        restarts = 1 + (0 if glance is None else glance.restarts)
        return cls(generation=before.generation + 1, since=before.since, restarts=restarts, why=ended)
