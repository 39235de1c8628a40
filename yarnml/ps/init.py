"""What a table's rows are before the first increment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final
from zlib import crc32

import numpy as np
import numpy.typing as npt


class Init(ABC):
    """Values by (seed, table, row) alone, so that they don't depend on how rows are sharded."""

    @abstractmethod
    def rows(self, seed: int, table: str, start: int, stop: int, width: int) -> npt.NDArray[Any]:
        """Rows [start, stop), of a shape that broadcasts to (stop - start, width)."""


@final
@dataclass(frozen=True)
class constant(Init):  # noqa: N801 (reads as a function where tables are declared)
    """Every number is `value`."""

    value: float

    def rows(self, seed: int, table: str, start: int, stop: int, width: int) -> npt.NDArray[Any]:  # noqa: ARG002
        return np.array([[self.value]])


def zeros() -> constant:
    """Every number is 0."""
    return constant(0.0)


@final
@dataclass(frozen=True)
class normal(Init):  # noqa: N801
    """Independent normal numbers of mean 0 and standard deviation `std`."""

    std: float

    def rows(self, seed: int, table: str, start: int, stop: int, width: int) -> npt.NDArray[Any]:
        key = np.uint64((seed * 0x9E3779B97F4A7C15 + crc32(table.encode())) & 0xFFFFFFFFFFFFFFFF)
        i = np.arange(start * width, stop * width, dtype=np.uint64)
        # Box and Muller 1958, on numbers in (0, 1] and [0, 1)
        u, v = _uniform(key, 2 * i), _uniform(key, 2 * i + np.uint64(1))
        z: npt.NDArray[Any] = np.sqrt(-2 * np.log1p(-u)) * np.cos(2 * np.pi * v)
        return (self.std * z).reshape(stop - start, width)


def _uniform(key: np.uint64, i: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Numbers in [0, 1) by splitmix64 (Steele, Lea, Flood 2014) of a counter."""
    z = i * np.uint64(0x9E3779B97F4A7C15) + key
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53
