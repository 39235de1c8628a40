"""Portion: one worker's rows of the run's data sets, in memory where they fit, else on its disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from hdfs_io import load, span
from hdfs_io.load import readers
from yarnml.app.budget import fits, largest, most_rows
from yarnml.app.held import Held
from yarnml.app.share import Share, chunk_rows
from yarnml.app.spilled import Order, Origin, Spilled
from yarnml.errors import UsageError
from yarnml.job import Job, Part


@final
@dataclass(frozen=True)
class Portion:
    job: Job
    index: int  # of the worker

    @property
    def train(self) -> Part:
        assert self.job.train is not None, f"app {self.job.app} was started without data"
        return self.job.train

    @property
    def first_row(self) -> int:
        """The first of the training data set that may be this worker's."""
        return self._span(self.train)[0]

    def counted(self) -> tuple[int, int]:
        """Which of all training rows, counted without those that are held out, is this worker's first; how many are."""
        if self.job.train is None:
            return 0, 0
        first, until = (self.train.sample.count(n) for n in self._span(self.train))
        return first, until - first

    def share(self, part: Part, order: Order | None = None) -> Share:
        """This worker's rows of a part; `order`: that of their batches, if there will be any."""
        (lo, hi), memory = self._span(part), self.job.data_memory
        if memory is not None and not fits(part, self.job.workers, memory):
            return Spilled(Origin(part, lo, hi, self.job.threads, memory), order)
        free = None if memory is None else memory - largest(part.dataset, self.job.workers)
        rows = load(part.dataset, lo, hi, part.sample, threads=readers(part.dataset, self.job.threads, free))
        return Held(rows, chunk_rows(part.dataset))

    def most_rows(self, share: Share) -> int | None:
        """Rows of a batch of this share, over all workers, beyond which memory is too small; None: any number fits."""
        if isinstance(share, Held):
            return None
        assert self.job.data_memory is not None
        return most_rows(self.train.dataset, self.job.workers, self.job.data_memory)

    def too_large(self) -> UsageError:
        """The error that not all training rows of a worker are in memory, where its app wants them."""
        sizes = largest(self.train.dataset, self.job.workers), self.job.data_memory or 0
        need, have = (f"{size / (1 << 30):,.2g} GiB" for size in sizes)
        return UsageError(
            f"app {self.job.app} wants all rows of a worker in memory: {need}, of which --data-memory allows half of "
            f"{have}; use more workers, or allow more"
        )

    def _span(self, part: Part) -> tuple[int, int]:
        return span(part.dataset.rows, self.index, self.job.workers)
