"""Spans: this worker's rows, a piece of the data set at a time, so that no share must fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

from hdfs_io import span
from yarnml.app import Worker


def spans(me: Worker) -> Iterator[tuple[int, int]]:
    """The first row and the end of each; a worker without rows has one empty span."""
    first, last = span(me.dataset.rows, me.index, me.workers)
    if first == last:
        yield first, last
    for piece in me.dataset.pieces:
        lo, hi = max(first, piece.first_row), min(last, piece.first_row + piece.rows)
        if lo < hi:
            yield lo, hi
