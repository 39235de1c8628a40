"""Deal: costs are dealt out, each to who has least [Graham 1969, Bounds on multiprocessing timing anomalies, LPT]."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]


@njit(cache=True, nogil=True)
def deal(cost: F64, order: I64, takers: int) -> I64:
    """Who takes each of k costs, (k,), dealt in this order of their numbers; of equal takers the first."""
    load, taker = np.zeros(takers), np.empty(len(cost), np.int64)
    for at in order:
        least = 0
        for one in range(1, takers):
            if load[one] < load[least]:
                least = one
        taker[at] = least
        load[least] += cost[at]
    return taker


def deal_numpy(cost: F64, order: I64, takers: int) -> I64:
    load, taker = np.zeros(takers), np.empty(len(cost), np.int64)
    for at in order:
        taker[at] = load.argmin()
        load[taker[at]] += cost[at]
    return taker
