"""Mix: a hash of row numbers that no order of reading changes."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def between(seed, first, low, high, out):  # type: ignore[no-untyped-def]
    """out[i] = low <= u(seed, first + i) < high, u in [0, 1) made by splitmix64 (Steele, Lea, Flood 2014)."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(out)):
        z = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + (np.uint64(first + i) + np.uint64(1)) * golden
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
        u = np.float64(np.int64(z >> np.uint64(11))) * 2.0**-53
        out[i] = low <= u and u < high
