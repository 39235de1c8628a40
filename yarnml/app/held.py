"""Held: a share in memory. Its batches are views; each is cut once and used again in every pass."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import final

import numpy as np

from hdfs_io import Rows
from yarnml.app.batch import Batch
from yarnml.app.plan import Plan
from yarnml.app.share import Cut, Share, cut_columns, made, number_of, sliced


@final
class Held(Share):
    def __init__(self, rows: Rows, chunk: int) -> None:
        """`chunk`: rows of a chunk."""
        self.rows = rows
        self._chunk = chunk
        self._plan: Plan | None = None
        self._pieces: dict[int, tuple[Rows, Cut]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def renew(self) -> None:
        if self._plan is not None and self._plan.steps > 1:
            self.rows = self.rows.take(np.argsort(self._plan.shuffle()))
        self._plan = None
        self._pieces.clear()

    def chunks(self) -> Iterator[Rows]:
        return sliced(self.rows, self._chunk)

    def batches(self, plan: Plan, clock: int, end: int) -> Generator[Batch, None, None]:
        if self._plan is None and plan.steps > 1:
            self.rows = self.rows.take(plan.shuffle())
        self._plan = plan
        for now in range(clock, end):
            number = number_of(plan, now)
            rows, cut = self._piece(plan, number)
            yield made(rows, cut, plan, number, now)

    def _piece(self, plan: Plan, number: int) -> tuple[Rows, Cut]:
        if number not in self._pieces:
            at = plan.piece(number)
            rows = self.rows.slice(at.start, at.stop)
            self._pieces[number] = rows, cut_columns(rows.X)
        return self._pieces[number]
