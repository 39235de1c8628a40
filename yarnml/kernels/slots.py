"""Kernels of a bounded store: a hash index from rows to slots, and the clock that picks which slots to free.

The index is open addressing with linear probing (Knuth, TAOCP 3, 6.4, algorithm L): `keys` (2^b,) holds rows, -1 where
free, `places` (2^b,) their slots; at least half of it is free. Nothing is ever removed: it is filled anew instead.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Index = npt.NDArray[np.int64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: neighbours end up far apart


@numba.njit(cache=True, nogil=True)
def insert(keys: Index, places: Array, rows: Index, slots: Index) -> None:
    """Put rows that aren't there into the index."""
    last = keys.size - 1
    for i in range(rows.size):
        h = np.int64((np.uint64(rows[i]) * GOLDEN) >> np.uint64(32)) & last
        while keys[h] >= 0:
            h = (h + 1) & last
        keys[h] = rows[i]
        places[h] = slots[i]


@numba.njit(cache=True, nogil=True)
def find(keys: Index, places: Array, rows: Index, out: Index) -> None:
    """out[i] = the slot of rows[i], or -1."""
    last = keys.size - 1
    for i in range(rows.size):
        h = np.int64((np.uint64(rows[i]) * GOLDEN) >> np.uint64(32)) & last
        while keys[h] >= 0 and keys[h] != rows[i]:
            h = (h + 1) & last
        out[i] = places[h] if keys[h] >= 0 else -1


def find_numpy(row_of: Index, rows: Index, out: Index) -> None:
    """What `find` says of an index into which `row_of` (slots,), -1 where free, was put."""
    at = row_of[None, :] == rows[:, None]
    out[:] = np.where(at.any(axis=1), at.argmax(axis=1), -1)


@numba.njit(cache=True, nogil=True)
def sweep(row_of: Index, used: Array, kept: Array, hand: int, out: Index) -> int:
    """out = slots to free: from `hand` on round and round, those that are taken, not kept, and not used since the hand
    last passed (Corbató 1968, the clock algorithm). Returns where the hand stands. There must be enough of them."""
    n = 0
    while n < out.size:
        if row_of[hand] >= 0 and not kept[hand]:
            if used[hand]:
                used[hand] = False
            else:
                out[n] = hand
                kept[hand] = True
                n += 1
        hand = hand + 1 if hand + 1 < row_of.size else 0
    return hand


def sweep_numpy(row_of: Index, used: Array, kept: Array, hand: int, out: Index) -> int:
    if not out.size:
        return hand
    rounds = np.roll(np.arange(row_of.size), -hand)
    order = rounds[(row_of[rounds] >= 0) & ~kept[rounds]]
    first, then = order[~used[order]], order[used[order]]  # what is used goes only in the second round
    out[:] = np.concatenate([first, then])[: out.size]
    passed = rounds[: int(np.flatnonzero(rounds == out[-1])[0]) + 1] if out.size <= len(first) else rounds
    used[passed[(row_of[passed] >= 0) & ~kept[passed]]] = False
    kept[out] = True
    return (int(out[-1]) + 1) % row_of.size
