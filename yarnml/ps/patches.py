"""Patches: increments of one table within one clock, gathered until they leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.ps.functions import Function, Increment
from yarnml.ps.keys import Key
from yarnml.ps.rounding import Rounding
from yarnml.wire.message import Patch

Array = npt.NDArray[Any]
COMPACT = 64  # patches beyond which scattered ones are merged


@final
class Patches:
    """What a worker has added to one table in one clock. Increments to the same rows are merged on the way."""

    def __init__(self, table: int, function: Function, rounding: Rounding | None = None) -> None:
        """`rounding`: how they leave, if not as they are."""
        self._table = table
        self._rounding = rounding
        self._function = function
        self._patches: list[Patch] = []
        self._limit = COMPACT

    def __bool__(self) -> bool:
        return bool(self._patches)

    @property
    def so_far(self) -> list[Patch]:
        """Increments in their order, which may overlap."""
        return self._patches

    def add(self, key: Key, delta: Array) -> None:
        """Take in, and own, `delta` (len(key), width)."""
        if key.rows is None:
            self._add_range(key.start, delta)
        else:
            rows = key.rows
            if key.inverse is not None:  # rows in any order, perhaps repeated
                merged = self._function.blank((len(rows), delta.shape[1]), delta.dtype)
                self._function.combine(merged, key.inverse, delta)
                delta = merged
            self._patches.append(Patch(self._table, -1, rows, delta))
        if len(self._patches) > self._limit:
            self._patches = merge(self._function, self._patches)
            self._limit = COMPACT + len(self._patches)

    def _add_range(self, start: int, delta: Array) -> None:
        candidates = self._patches[-1:] if self._function.ordered else self._patches
        for i, old in enumerate(candidates):
            if old.start == start and len(old.values) == len(delta):
                values = old.values if old.values.flags.writeable else old.values.copy()
                self._function.combine(values, slice(None), delta)
                self._patches[i if not self._function.ordered else -1] = Patch(self._table, start, None, values)
                return
        self._patches.append(Patch(self._table, start, None, delta))

    def take(self) -> list[Patch]:
        """All of it as patches that don't overlap; this is empty again."""
        patches, self._patches = self._patches, []
        patches = patches if len(patches) < 2 or _disjoint(patches) else merge(self._function, patches)
        return patches if self._rounding is None else [self._rounding.round(patch) for patch in patches]

    def settle(self) -> None:
        """Nothing is rounded any more, and what was held back is added; not to a step, which makes more of it."""
        if self._rounding is not None and self._function.local:
            self._patches += self._rounding.rest(self._table)
        self._rounding = None


def merge(function: Function, patches: Sequence[Patch]) -> list[Patch]:
    """Increments of one table in their order, as patches that don't overlap."""
    if len(patches) < 2:
        return list(patches)
    first = patches[0]
    if all(p.rows is None and p.start == first.start and len(p.values) == len(first.values) for p in patches):
        total = function.blank(first.values.shape, first.values.dtype)
        for p in patches:
            function.combine(total, slice(None), p.values)
        return [Patch(first.table, first.start, None, total)]
    listed = np.concatenate([rows_of(p) for p in patches])
    union, place = np.unique(listed, return_inverse=True)
    total = function.blank((len(union), first.values.shape[1]), first.values.dtype)
    begin = 0
    for p in patches:
        function.combine(total, place[begin : begin + len(p.values)], p.values)
        begin += len(p.values)
    if len(union) and union[-1] - union[0] + 1 == len(union):
        return [Patch(first.table, int(union[0]), None, total)]
    return [Patch(first.table, -1, union, total)]


def rows_of(patch: Patch) -> npt.NDArray[np.int64]:
    """The rows that a patch touches."""
    return np.arange(patch.start, patch.start + len(patch.values)) if patch.rows is None else patch.rows


def split(patch: Patch, bounds: Sequence[int]) -> Iterable[tuple[int, Patch]]:
    """The parts of a patch by the server that holds their rows."""
    if len(bounds) == 2:
        yield 0, patch
        return
    if patch.rows is None:
        first, last = patch.start, patch.start + len(patch.values)
        for k in range(len(bounds) - 1):
            low, high = max(first, bounds[k]), min(last, bounds[k + 1])
            if low < high:
                yield k, Patch(patch.table, low, None, patch.values[low - first : high - first], patch.exponent)
        return
    cuts = np.searchsorted(patch.rows, bounds)
    for k in range(len(bounds) - 1):
        if cuts[k] < cuts[k + 1]:
            part = slice(cuts[k], cuts[k + 1])
            yield k, Patch(patch.table, -1, patch.rows[part], patch.values[part], patch.exponent)


def _disjoint(patches: Sequence[Patch]) -> bool:
    """Whether these are ranges without a common row."""
    if any(p.rows is not None for p in patches):
        return False
    ranges = sorted((p.start, p.start + len(p.values)) for p in patches)
    return all(a[1] <= b[0] for a, b in pairwise(ranges))


def overlay(function: Function, out: Array, key: Key, patches: Iterable[Patch], where: Array | None = None) -> None:
    """Apply patches of a local function to `out`, which holds the rows of `key`; only to those marked in `where`."""
    for patch in patches:
        if key.rows is None and patch.rows is None and where is None:
            low, high = max(key.start, patch.start), min(key.stop, patch.start + len(patch.values))
            if low < high:
                delta = patch.values[low - patch.start : high - patch.start]
                function.apply(out, {}, Increment(slice(low - key.start, high - key.start), delta))
            continue
        mine, theirs = _common(key, patch)
        if where is not None:
            keep = where[mine]
            mine, theirs = mine[keep], theirs[keep]
        if len(mine):
            function.apply(out, {}, Increment(mine, np.ascontiguousarray(patch.values[theirs])))


def touches(key: Key, patch: Patch) -> bool:
    """Whether a patch has a row of `key`."""
    if key.rows is None and patch.rows is None:
        return key.start < patch.start + len(patch.values) and patch.start < key.stop
    return bool(len(_common(key, patch)[0]))


def _common(key: Key, patch: Patch) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Places in `key` and in `patch` of the rows that both have."""
    if key.rows is None:
        if patch.rows is None:
            low, high = max(key.start, patch.start), min(key.stop, patch.start + len(patch.values))
            common = np.arange(low, max(low, high))
            return common - key.start, common - patch.start
        theirs = np.arange(*np.searchsorted(patch.rows, (key.start, key.stop)))
        return patch.rows[theirs] - key.start, theirs
    if patch.rows is None:
        mine = np.arange(*np.searchsorted(key.rows, (patch.start, patch.start + len(patch.values))))
        return mine, key.rows[mine] - patch.start
    _, mine, theirs = np.intersect1d(key.rows, patch.rows, assume_unique=True, return_indices=True)
    return mine, theirs
