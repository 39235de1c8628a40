"""Sides: the ratings of all workers, dealt out twice: whole users to each worker, and whole items.

Rows lie on workers as the files have them. They are exchanged once, before training: every worker sees all of them, a
block at a time, and keeps those of its users and of its items, in the data set's order. So what is computed of one
user's or item's ratings is the same to the bit on any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Keys
from yarnml.app import Worker, gather_ids

from .order import by_code, merged

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
BLOCK = 1 << 20  # rows of a worker that are exchanged at a time


@final
@dataclass(frozen=True, eq=False)
class Side:
    """The ratings of the users, or of the items, [lo, hi), of `count` that there are."""

    count: int
    lo: int
    hi: int
    indptr: I64  # (hi - lo + 1,)
    other: I32  # (m,) whom or what each rating connects them with
    r: F32  # (m,)

    def parts(self, threads: int) -> list[tuple[int, int]]:
        """Positions in [0, hi - lo) with about equally many ratings for each thread."""
        wanted = [self.indptr[-1] * part // threads for part in range(1, threads)]
        return list(pairwise([0, *np.searchsorted(self.indptr, wanted).tolist(), self.hi - self.lo]))

    def each(self, me: Worker, function: Callable[[int, int], Any]) -> list[Any]:
        """`function` on each thread's part, in their order."""
        parts = self.parts(me.threads)
        return me.crew.each(lambda k, _: function(*parts[k]), len(parts), least=1)

    def share(self, me: Worker, X: NDArray[Any], axis: int = 0) -> None:
        """Put into X what the other workers have found for their own."""
        if me.workers > 1:
            own = X[self.lo : self.hi] if axis == 0 else X[:, self.lo : self.hi]
            X[:] = np.concatenate(me.gather(own), axis)


@final
@dataclass(frozen=True, eq=False)
class Ratings:
    users: NDArray[Any]  # (U,) their ids, sorted
    items: NDArray[Any]  # (I,)
    by_user: Side
    by_item: Side
    rows: int  # of all workers
    mean: float
    low: float  # of all ratings
    high: float


def ratings(me: Worker, distinct: bool) -> Ratings:
    """The ratings of all workers, 1 each where rows have none. `distinct`: those of one pair add up to one."""
    rows = me.data
    assert rows.user is not None
    assert rows.item is not None
    (users, u), (items, i) = (known(me, keys) for keys in (rows.user, rows.item))
    r = np.ones(len(rows), np.float32) if rows.y is None else rows.y.astype(np.float32, copy=False)
    sums = me.gather(np.array([r.sum(dtype=np.float64), r.min(initial=np.inf), r.max(initial=-np.inf)]))
    total, low, high = zip(*sums, strict=True)
    by_user, by_item = dealt(me, [(u, i, r, len(users)), (i, u, r, len(items))], distinct)
    return Ratings(users, items, by_user, by_item, me.rows, sum(total) / me.rows, min(low), max(high))


def known(me: Worker, keys: Keys) -> tuple[NDArray[Any], I32]:
    """All workers' ids, sorted, and for each of this worker's rows its place among them."""
    found = [ids for ids in gather_ids(me, keys.used()) if len(ids)]
    ids = found[0] if len(found) == 1 else np.unique(np.concatenate(found))
    return ids, keys.places(ids)


def dealt(me: Worker, columns: list[tuple[I32, I32, F32, int]], distinct: bool) -> list[Side]:
    """A side of each of the columns (own code, other's code, rating, count of codes)."""
    borders = [shares(me, own, count) for own, _, _, count in columns]
    spans = [(int(border[me.index]), int(border[me.index + 1])) for border in borders]
    kept = [(own, other, r) for own, other, r, _ in columns] if me.workers == 1 else exchanged(me, columns, spans)

    def side(k: int, _: int) -> Side:
        (own, other, r), (lo, hi) = kept[k], spans[k]
        indptr, other, r = by_code(own, other, r, lo, hi)
        return Side(columns[k][-1], lo, hi, *(merged(indptr, other, r) if distinct else (indptr, other, r)))

    return me.crew.each(side, len(columns), least=1) if me.threads > 1 else [side(k, k + 1) for k in (0, 1)]


def shares(me: Worker, own: I32, count: int) -> I64:
    """(workers + 1,) borders of the codes of each worker, which have about equally many ratings."""
    ends = np.cumsum(me.sum(np.bincount(own, minlength=count)))
    wanted = [ends[-1] * worker // me.workers for worker in range(1, me.workers)]
    return np.array([0, *np.searchsorted(ends, wanted, "right"), count])


def exchanged(
    me: Worker, columns: list[tuple[I32, I32, F32, int]], spans: list[tuple[int, int]]
) -> list[tuple[I32, I32, F32]]:
    """The rows of all workers whose own code lies in the span, of each of the columns, in the data set's order."""
    u, i, r, _ = columns[0]
    most = max(int(n) for n in me.gather(np.array(len(r))))
    kept: list[list[list[NDArray[np.int32]]]] = [[[] for _ in range(me.workers)] for _ in columns]
    for at in range(0, most, BLOCK):
        some = slice(at, at + BLOCK)
        for worker, block in enumerate(me.gather(np.stack([u[some], i[some], r[some].view(np.int32)]))):
            for column, (lo, hi) in enumerate(spans):
                mine = (block[column] >= lo) & (block[column] < hi)
                kept[column][worker].append(block[:, mine])
    empty = np.empty((3, 0), np.int32)
    wholes = [np.concatenate([empty, *(part for parts in each for part in parts)], axis=1) for each in kept]
    return [(whole[k], whole[1 - k], whole[2].view(np.float32)) for k, whole in enumerate(wholes)]
