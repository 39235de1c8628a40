"""Pairs: what is known of pairs of numbers, in a table where a newer pair takes the place of an older one."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

UNKNOWN, NO, YES = -1, 0, 1
EMPTY = -1
Numbers = NDArray[np.int64]
Says = NDArray[np.int8]


@njit(cache=True, nogil=True)
def look(keys: Numbers, says: Says, n: int, numbers: Numbers) -> Says:
    """What is known of each pair of these different numbers < n, (k, k), NO of a number with itself.

    The table: `keys` and `says`, both of a length that is a power of two.
    """
    k = len(numbers)
    found = np.zeros((k, k), np.int8)
    for a in range(k):
        for b in range(a):
            key = _key(n, numbers[a], numbers[b])
            slot = _slot(keys, key)
            found[a, b] = found[b, a] = says[slot] if keys[slot] == key else UNKNOWN
    return found


def look_numpy(keys: Numbers, says: Says, n: int, numbers: Numbers) -> Says:
    key = np.minimum.outer(numbers, numbers) * n + np.maximum.outer(numbers, numbers)
    slot = ((key * 0x9E3779B97F4A7C1) >> 24) & (len(keys) - 1)
    found: Says = np.where(keys[slot] == key, says[slot], UNKNOWN).astype(np.int8)
    np.fill_diagonal(found, NO)
    return found


@njit(cache=True, nogil=True)
def learn(keys: Numbers, says: Says, n: int, numbers: Numbers, found: Says) -> None:
    """Keep what `found` (k, k) says of their pairs."""
    for a in range(len(numbers)):
        for b in range(a):
            key = _key(n, numbers[a], numbers[b])
            slot = _slot(keys, key)
            keys[slot], says[slot] = key, found[a, b]


def learn_numpy(keys: Numbers, says: Says, n: int, numbers: Numbers, found: Says) -> None:
    a, b = np.tril_indices(len(numbers), -1)  # in the order of rows, so that the last one stays
    key = np.minimum(numbers[a], numbers[b]) * n + np.maximum(numbers[a], numbers[b])
    slot = ((key * 0x9E3779B97F4A7C1) >> 24) & (len(keys) - 1)
    for at, k, f in zip(slot, key, found[a, b], strict=True):
        keys[at], says[at] = k, f


@njit(cache=True, nogil=True)
def apart(found: Says) -> Numbers:
    """Taken in order, which of k are kept: those in no pair that says YES with one that was kept before. (k,)

    Of one that is kept its own place; of another the place of the first that stands in its way.
    """
    by = np.empty(len(found), np.int64)
    for a in range(len(found)):
        by[a] = a
        for b in range(a):
            if by[b] == b and found[a, b] == YES:
                by[a] = b
                break
    return by


def apart_numpy(found: Says) -> Numbers:
    by = np.arange(len(found))
    for a in range(len(found)):
        in_its_way = np.flatnonzero((by[:a] == np.arange(a)) & (found[a, :a] == YES))
        by[a] = in_its_way[0] if len(in_its_way) else a
    return by


@njit(cache=True, nogil=True)
def _key(n: int, a: int, b: int) -> int:
    return min(a, b) * n + max(a, b)


@njit(cache=True, nogil=True)
def _slot(keys: Numbers, key: int) -> int:
    return ((key * 0x9E3779B97F4A7C1) >> 24) & (len(keys) - 1)
