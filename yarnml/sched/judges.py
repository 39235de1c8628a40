"""Judges: who finds out what depends on what: this thread when it is wanted, or another one before."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import final

import numpy as np

from yarnml.sched.dependency import Dependency
from yarnml.sched.events import Judge, Judged
from yarnml.sched.picks import Index
from yarnml.sched.policy import Policy


@final
class Judges:
    """At depth 2 and more another thread, beside the updates."""

    def __init__(self, said: Policy, parameters: int, depth: int) -> None:
        self._dependency = None if said.independent is None else Dependency(said.independent, parameters)
        self._pool = ThreadPoolExecutor(1, "judge") if depth > 1 and self._dependency is not None else None
        self._open: deque[tuple[Judge, Future[Index] | None]] = deque()

    def __enter__(self) -> Judges:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def begin(self, judge: Judge) -> None:
        self._open.append((judge, None if self._pool is None else self._pool.submit(self._judge, judge)))

    def next(self) -> Judged:
        judge, found = self._open.popleft()
        return Judged(judge.round, self._judge(judge) if found is None else found.result())

    def _judge(self, judge: Judge) -> Index:
        if self._dependency is None:
            return np.arange(len(judge.candidates))
        return self._dependency.judge(judge.candidates)
