"""The start by k-means|| [Bahmani, Moseley, Vattani, Kumar, Vassilvitskii 2012, algorithm 2].

    C <- one row at random
    in each of some rounds, with phi = sum_i d^2(x_i, C):
        C <- C and every row x taken with probability min(1, l d^2(x, C) / phi)
    w_c <- how many rows are nearest to c in C
    k centres of C under the weights w, by k-means++

Chances depend on a row's global number, so that any number of workers takes the same rows. On large data it works on
a sample of the rows, which is as good a start and costs far less than one pass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Rows, joined
from yarnml.app import Worker
from yarnml.kernels.nearest import nearest
from yarnml.kernels.uniform import uniform

from .plusplus import best_of

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
ROUNDS, MOST_ROUNDS = 5, 50
SAMPLE, FIRST, ROUND = 0, 1, 2  # what a row's random number decides
ROWS, ROWS_A_CENTRE = 50_000, 200  # rows to look at, at least


def first_centres(me: Worker, k: int) -> F64:
    """k centres (k, d), or as many as there are different rows."""
    number, X = _sample(me, k)
    C = _first(me, number, X)
    near = np.zeros(len(number), np.int64)
    d2 = nearest(X, C, me.crew)[1]
    for turn in range(MOST_ROUNDS):
        phi = float(me.sum(d2.sum(dtype=np.float64)))
        if phi == 0 or (turn >= ROUNDS and len(C) >= k):
            break
        taken = uniform(me.seed, ROUND + turn, number) < 2 * k * d2.astype(np.float64) / phi  # l = 2k
        new = np.concatenate(me.gather(_dense(X, np.flatnonzero(taken))))
        if len(new):
            label, closer = nearest(X, new, me.crew)
            near = np.where(closer < d2, label + len(C), near)
            d2, C = np.minimum(d2, closer), np.concatenate([C, new])
    weight = me.sum(np.bincount(near, minlength=len(C)).astype(np.float64))
    found = best_of(C.astype(np.float64), weight, k, np.random.default_rng(me.seed))
    if len(found) < k:
        me.note(f"k = {k}, but there are only {len(found)} different rows: {len(found)} groups were made")
    return found


def _sample(me: Worker, k: int) -> tuple[NDArray[np.int64], F32 | CSR]:
    """Global numbers and features of this worker's rows among those that the start looks at."""
    part = max(ROWS, ROWS_A_CENTRE * k) / max(1, me.rows)
    rows = joined([_drawn(me, rows, part) for rows in me.share.chunks()])
    return rows.number, rows.X


def _drawn(me: Worker, rows: Rows, part: float) -> Rows:
    """About that part of the rows."""
    return rows if part >= 1 else rows.take(np.flatnonzero(uniform(me.seed, SAMPLE, rows.number) < part))


def _first(me: Worker, number: NDArray[np.int64], X: F32 | CSR) -> F32:
    """The row with the lowest random number, (1, d)."""
    u = uniform(me.seed, FIRST, number)
    mine = np.argsort(u)[:1]
    lowest = np.concatenate(me.gather(u[mine]))
    found: F32 = np.concatenate(me.gather(_dense(X, mine)))[[int(lowest.argmin())]]
    return found


def _dense(X: F32 | CSR, at: NDArray[np.int64]) -> F32:
    """Some rows as a dense matrix."""
    rows: F32 = X.take(at).to_scipy().toarray() if isinstance(X, CSR) else X[at]
    return rows
