"""Spans: which training rows each worker of a run that steals has read, beside the run.

So whoever takes a worker's place, and a run that goes on with this one, reads the same.

    <run>/splits.json       {"format": 1, "spans": [[[lo, hi], ...] of each worker]}, rows of the data set
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from hdfs_io import exists, join, read_text, span, write_text
from yarnml.errors import DataError
from yarnml.job import Job

Span = tuple[int, int]  # rows [lo, hi) of the data set
FORMAT = 1


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same rows in as few spans as can be, rising."""
    out: list[Span] = []
    for lo, hi in sorted(spans):
        if out and out[-1][1] == lo:
            out[-1] = (out[-1][0], hi)
        else:
            out.append((lo, hi))
    return out


def url_of(run: str) -> str:
    """Where the run at this URL says who has read what."""
    return join(run, "splits.json")


def record(job: Job, spans: Sequence[Sequence[Span]]) -> None:
    """Say it; `spans`: of each worker."""
    write_text(url_of(job.url), json.dumps({"format": FORMAT, "spans": spans}))


def recorded(job: Job) -> list[list[Span]] | None:
    """Each worker's, of this run or the one that it goes on with; None where they have yet to be read.

    Raises DataError for a record that is gone or broken.
    """
    if job.splits:
        return _read(job.splits, job)
    return _read(url_of(job.url), job) if exists(url_of(job.url)) else None


def part_stolen(job: Job, spans: Sequence[Sequence[Span]]) -> float:
    """Of all rows, the part that others have read than were to."""
    assert job.train is not None
    rows = job.train.dataset.rows
    stayed = 0
    for worker, each in enumerate(spans):
        begin, end = span(rows, worker, job.workers)
        stayed += sum(max(0, min(hi, end) - max(lo, begin)) for lo, hi in each)
    return 1 - stayed / max(1, rows)


def _read(url: str, job: Job) -> list[list[Span]]:
    assert job.train is not None
    rows = job.train.dataset.rows
    try:
        spans = [[(int(lo), int(hi)) for lo, hi in each] for each in json.loads(read_text(url))["spans"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{url}: can't be read ({error!r}): start the run anew") from error
    if len(spans) != job.workers or merged(at for each in spans for at in each) != [(0, rows)][: rows > 0]:
        raise DataError(f"{url}: isn't of {job.workers} workers on these rows: start the run anew")
    return spans
