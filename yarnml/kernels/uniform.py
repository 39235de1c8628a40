"""Uniform: random numbers in [0, 1) that depend on a seed and a row's global number alone, never on who draws them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GOLDEN = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def uniform(seed: int, purpose: int, number: NDArray[np.int64]) -> NDArray[np.float64]:
    """One number for each row; other purposes give other numbers (splitmix64, Steele, Lea, Flood 2014)."""
    key = (seed * GOLDEN + (purpose + 1) * 0xD1B54A32D192ED03) & MASK
    z = number.astype(np.uint64) * np.uint64(GOLDEN) + np.uint64(key)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53
