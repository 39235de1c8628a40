"""Slots: where in memory a store keeps which rows. All of them, or as many as there is room for.

A row without a slot is said to be at -1, the last place of the arrays that slots index, which is nobody's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.kernels import slots as kernels

Index = npt.NDArray[np.int64]
NONE: Index = np.zeros(0, np.int64)
SPARE = 8  # a slot in so many is freed at a time, since each time the index is filled anew


class Slots(ABC):
    """`size` slots; `most` rows at most may be given slots at a time."""

    size: int
    most: int

    @abstractmethod
    def at(self, rows: Index) -> Index:
        """The slots of rows, -1 where they have none."""

    @abstractmethod
    def give(self, rows: Index) -> tuple[Index, Index]:
        """Give each of these rows a slot, out of others' where there is none free: their slots, and the rows that lost
        theirs. What is in a slot that is new to its row is of no use."""

    @abstractmethod
    def within(self, start: int, stop: int) -> Index | slice:
        """The slots that hold rows of [start, stop)."""

    @abstractmethod
    def rows(self, at: Index | slice) -> Index:
        """The rows that are in these slots."""


@final
class Everywhere(Slots):
    """Each row of a table has the slot of its number."""

    def __init__(self, rows: int) -> None:
        self.size = self.most = rows

    def at(self, rows: Index) -> Index:
        return rows

    def give(self, rows: Index) -> tuple[Index, Index]:
        return rows, NONE

    def within(self, start: int, stop: int) -> slice:
        return slice(start, stop)

    def rows(self, at: Index | slice) -> Index:
        return np.arange(at.start, at.stop) if isinstance(at, slice) else at


@final
class Few(Slots):
    """Fewer slots than rows; those go that weren't used for longest, roughly: see `kernels.slots.sweep`."""

    def __init__(self, size: int) -> None:
        assert size >= 2, "a row that comes needs another slot than the one that goes"
        self.size, self.most = size, size // 2
        self._row_of: Index = np.full(size, -1)
        self._used = np.zeros(size, bool)
        self._hand = 0
        self._free: Index = np.arange(size)
        room = 1 << (2 * size - 1).bit_length()
        self._keys: Index = np.full(room, -1)
        self._places: npt.NDArray[Any] = np.empty(room, np.int32)

    @staticmethod
    def beside() -> int:
        """Bytes that a slot takes beside its row, at most."""
        return 8 + 1 + 8 + 4 * (8 + 4)

    def at(self, rows: Index) -> Index:
        found = np.empty(len(rows), np.int64)
        kernels.find(self._keys, self._places, rows, found)
        self._used[found[found >= 0]] = True
        return found

    def give(self, rows: Index) -> tuple[Index, Index]:
        assert len(rows) <= self.most, "more rows than may be held for one read"
        at = self.at(rows)
        new = np.flatnonzero(at < 0)
        lost = self._make_room(len(new), at) if len(new) > len(self._free) else NONE
        slots, self._free = self._free[: len(new)], self._free[len(new) :]
        at[new] = slots
        self._row_of[slots] = rows[new]
        self._used[slots] = True
        kernels.insert(self._keys, self._places, rows[new], slots)
        return at, lost

    def within(self, start: int, stop: int) -> Index:
        return np.flatnonzero((self._row_of >= start) & (self._row_of < stop))

    def rows(self, at: Index | slice) -> Index:
        return self._row_of[at]

    def _make_room(self, n: int, at: Index) -> Index:
        """Free slots until there are `n`; those in `at` stay. Returns the rows that were in them."""
        kept = np.zeros(self.size + 1, bool)
        kept[at] = True
        enough = int(np.count_nonzero((self._row_of >= 0) & ~kept[:-1]))
        freed = np.empty(min(max(n - len(self._free), self.size // SPARE), enough), np.int64)
        self._hand = kernels.sweep(self._row_of, self._used, kept, self._hand, freed)
        lost = self._row_of[freed].copy()
        self._row_of[freed] = -1
        self._free = np.concatenate([self._free, freed])
        self._keys[:] = -1
        taken = np.flatnonzero(self._row_of >= 0)
        kernels.insert(self._keys, self._places, self._row_of[taken], taken)
        return lost

    def check(self) -> None:
        """Every slot is free or its row's, and the index knows it."""
        taken = np.flatnonzero(self._row_of >= 0)
        assert sorted([*taken, *self._free]) == list(range(self.size))
        found = np.empty(len(taken), np.int64)
        kernels.find(self._keys, self._places, self._row_of[taken], found)
        assert np.array_equal(found, taken)
