"""Portion: one worker's rows of the run's data sets, in memory where they fit, else on its disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Rows, joined, load, span
from hdfs_io.load import readers
from yarnml.app.budget import COPIES, fits, largest, most_rows
from yarnml.app.held import Held
from yarnml.app.share import Share, chunk_rows
from yarnml.app.spans import Span, merged, part_stolen, record, recorded
from yarnml.app.spilled import Order, Origin, Spilled
from yarnml.app.splits import as_array, settled, splits, steals, taken
from yarnml.comm.claims import Split
from yarnml.errors import UsageError
from yarnml.job import Job, Part

Gather = Callable[[NDArray[Any]], list[NDArray[Any]]]


@final
@dataclass(frozen=True)
class Portion:
    job: Job
    index: int  # of the worker
    _record: list[list[list[Span]]] = field(default_factory=list, repr=False)  # who has read what, once it is known

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
        sample, spans = self.train.sample, self.spans()
        return sample.count(spans[0][0]) if spans else 0, sum(sample.within(lo, hi) for lo, hi in spans)

    def spans(self) -> list[Span]:
        """The training rows that are this worker's, rising."""
        known = self._known()
        return [self._span(self.train)] if known is None else known[self.index]

    @property
    def open(self) -> bool:
        """Whether it isn't known yet which training rows are whose."""
        return steals(self.job) and self._known() is None

    def share(self, part: Part, order: Order | None = None) -> Share:
        """This worker's rows of a part; `order`: that of their batches, if there will be any."""
        memory = self.job.data_memory
        if memory is not None and not fits(part, self.job.workers, memory):
            return Spilled(Origin(part, *self._span(part), self.job.threads, memory), order)
        spans = self.spans() if part is self.job.train else [self._span(part)]
        read = partial(self._load, part, threads=self._readers(part))
        return Held(joined([read(at) for at in spans or [(0, 0)]]), chunk_rows(part.dataset))

    def take(self, claim: Callable[[bool], Split | None], gather: Gather) -> Share:
        """The training rows that this worker comes to before others do, each of which calls it too.

        `claim(own)`: the next split, one of its own if there is no room for others'.
        """
        part, memory = self.train, self.job.data_memory
        own, row = splits(part.dataset, self.job.workers), part.dataset.row_bytes
        room = -1 if memory is None else memory // COPIES // row  # rows
        held = 0

        def next_one() -> Split | None:
            nonlocal held
            split = claim(0 <= room <= held)
            if split is not None:
                lo, hi = own[split[0]][split[1]]
                held += hi - lo
            return split

        rows = taken(next_one, own, partial(self._load, part), self._readers(part))
        held_by = settled(gather(as_array(rows)), own)
        mine = [(own[owner][number], (owner, number)) for owner, number in held_by[self.index]]
        parts = [rows[split] if split in rows else self._load(part, at) for at, split in sorted(mine)]
        if self.index == 0:
            record(self.job, [merged(own[owner][number] for owner, number in each) for each in held_by])
        gather(np.zeros(0))  # from here on it is known
        return Held(joined(parts or [self._load(part, (0, 0))]), chunk_rows(part.dataset))

    def told(self) -> str:
        """A remark on rows that others might have taken."""
        known = self._known()
        if known is None:
            return "--steal: rows beyond memory stay with the workers that are to read them"
        part = part_stolen(self.job, known)
        return f"{part:.1%} of the rows were read by other workers than were to (--steal): another run differs a little"

    def _known(self) -> list[list[Span]] | None:
        """Each worker's training rows, if others may have taken some and that is on record, which is read once."""
        if not self._record and steals(self.job) and (found := recorded(self.job)) is not None:
            self._record.append(found)
        return self._record[0] if self._record else None

    def _load(self, part: Part, at: Span, threads: int = 1) -> Rows:
        return load(part.dataset, *at, part.sample, threads=threads)

    def _readers(self, part: Part) -> int:
        memory = self.job.data_memory
        free = None if memory is None else memory - largest(part.dataset, self.job.workers)
        return readers(part.dataset, self.job.threads, free)

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
