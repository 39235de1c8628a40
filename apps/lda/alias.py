"""Alias: draws from many chances in the same time however many they are [Walker 1977; Vose 1991]."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

I32 = NDArray[np.int32]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
LOW = np.uint64(0xFFFFFFFF)
UNIT = np.float32(2.0**-24)


def alias(weights: F64) -> tuple[F32, I32]:
    """The table of weights (n,), none of them negative: place i stays with chance[i], and else is other[i]."""
    n = len(weights)
    chance, other = np.empty(n, np.float32), np.empty(n, np.int32)
    fill(weights.astype(np.float32), chance, other, np.empty(n, np.int32))
    return chance, other


@njit(cache=True, nogil=True)
def fill(weights: F32, chance: F32, other: I32, stack: I32) -> None:
    """The same into given arrays. `stack` (n,) is overwritten: the small ones grow from its begin, the large from its
    end."""
    n = len(weights)
    total = np.float64(0)
    for i in range(n):
        total += weights[i]
    small, large = 0, n
    for i in range(n):
        chance[i], other[i] = weights[i] * n / total, i
        if chance[i] < 1:
            stack[small] = i
            small += 1
        else:
            large -= 1
            stack[large] = i
    while small > 0 and large < n:
        small -= 1
        i, j = stack[small], stack[large]
        other[i] = j
        chance[j] -= np.float32(1) - chance[i]
        if chance[j] < 1:
            large += 1
            stack[small] = j
            small += 1
    while small > 0:  # left by rounding
        small -= 1
        chance[stack[small]] = 1


@njit(inline="always")
def picked(chance: F32, other: I32, s: np.uint64) -> np.int64:
    """Place i with its chance, by a random number of 64 bits."""
    i = np.int64(((s & LOW) * np.uint64(len(chance))) >> np.uint64(32))
    return i if np.float32(s >> np.uint64(40)) * UNIT < chance[i] else np.int64(other[i])
