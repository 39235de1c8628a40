"""Budget: whether the workers' rows fit in the memory they may take. Pure: all workers decide alike."""

from __future__ import annotations

from hdfs_io import Dataset, span
from yarnml.job import Part

COPIES = 2  # of the rows in memory while they are shuffled
MOST = 500  # times the memory that rows may take: to sort them, each part of them is looked for in each run
BATCHES = 6  # parts of the memory: what is computed on, two batches that wait, one being read, and room to compute


def fits(part: Part, workers: int, memory: int | None) -> bool:
    """Whether every worker can hold its rows of the part."""
    return memory is None or COPIES * largest(part.dataset, workers) * _kept(part) <= memory


def largest(dataset: Dataset, workers: int) -> int:
    """Bytes of the largest span."""
    return max(dataset.bytes_between(*span(dataset.rows, worker, workers)) for worker in range(workers))


def most_rows(dataset: Dataset, workers: int, memory: int) -> int:
    """Rows of the largest batch, over all workers, that is read from disk in the memory that each may take."""
    return workers * max(1, memory // BATCHES // dataset.row_bytes)


def least(part: Part, workers: int) -> int:
    """Bytes below which it doesn't work: a batch has a row, and rows beyond memory are sorted in runs that are few."""
    return max(BATCHES * part.dataset.row_bytes, int(largest(part.dataset, workers) * _kept(part)) // MOST)


def _kept(part: Part) -> float:
    """The sample's part of the rows."""
    return part.rows / max(1, part.dataset.rows)
