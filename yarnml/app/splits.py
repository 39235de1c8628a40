"""Splits: what workers take of the training rows, one after another, in the first pass of a run that steals (--steal).

Each begins with its own cut of the rows; who has read that goes on with what others haven't come to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, Rows, span
from yarnml.app.budget import fits
from yarnml.app.spans import Span
from yarnml.comm.claims import Split
from yarnml.job import Job

PARTS = 32  # about so many splits has a worker's cut
LEAST = 1 << 20  # bytes of rows that a claim is worth


def steals(job: Job) -> bool:
    """Whether workers may take others' rows: those that go to a disk stay with whom they are."""
    return job.steal and job.train is not None and fits(job.train, job.workers, job.data_memory)


def splits(dataset: Dataset, workers: int) -> list[list[Span]]:
    """Each worker's own: whole pieces of its cut of the rows, small ones together. Pure, and so the same everywhere."""
    return [_parted(dataset, *span(dataset.rows, worker, workers)) for worker in range(workers)]


def counts(job: Job) -> tuple[int, ...]:
    """How many each worker begins with; () if none are taken of others."""
    if not steals(job):
        return ()
    assert job.train is not None
    return tuple(len(own) for own in splits(job.train.dataset, job.workers))


def taken(
    claim: Callable[[], Split | None],
    own: Sequence[Sequence[Span]],
    read: Callable[[Span], Rows],
    threads: int,
) -> dict[Split, Rows]:
    """What is read until `claim` has no more, a split a thread; `own`: the splits of each worker."""
    found: dict[Split, Future[Rows]] = {}
    reading: set[Future[Rows]] = set()
    with ThreadPoolExecutor(threads) as pool:
        while (split := claim()) is not None:
            found[split] = pool.submit(read, own[split[0]][split[1]])
            reading.add(found[split])
            if len(reading) == threads:
                done, reading = wait(reading, return_when=FIRST_COMPLETED)
                for each in done:
                    each.result()  # raises what went wrong before more is claimed
        return {split: each.result() for split, each in found.items()}


def settled(claimed: Sequence[NDArray[Any]], own: Sequence[Sequence[Span]]) -> list[list[Split]]:
    """Each worker's splits, where all have told theirs: what nobody has read is its owner's."""
    held = [[(int(owner), int(number)) for owner, number in each] for each in claimed]
    known = {split for each in held for split in each}
    assert len(known) == sum(map(len, held)), "a split was given to two workers"
    for owner, spans in enumerate(own):
        held[owner] += [(owner, n) for n in range(len(spans)) if (owner, n) not in known]
    return [sorted(each) for each in held]


def as_array(held: Iterable[Split]) -> NDArray[np.int64]:
    """Splits (n, 2) as workers tell them to each other."""
    return np.array(sorted(held), np.int64).reshape(-1, 2)


def _parted(dataset: Dataset, lo: int, hi: int) -> list[Span]:
    rows = max(LEAST, dataset.row_bytes * (hi - lo) // PARTS) // dataset.row_bytes
    out: list[Span] = []
    begin = lo
    for piece in dataset.pieces:
        end = min(hi, piece.first_row + piece.rows)
        if end > begin and (end == hi or end - begin >= rows):
            out.append((begin, end))
            begin = end
    return out
