"""Urn: draws by weights that change, in log2(m) steps each.

Three trees in one array (3, 2 size), size >= m a power of two: node i's children are 2 i and 2 i + 1, the leaf of place
j is size + j. A place that isn't in the urn weighs nothing in any of them. A node is always the sum of its two children
as they are, so that the same leaves make the same draws to the bit, however they came to be so.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

WEIGHT, COUNT, FRESH = range(3)  # by its weight; 1; 1 if it goes ahead of all others
Trees = NDArray[np.float64]


def empty(m: int) -> Trees:
    """Of m places, none of them in the urn."""
    return np.zeros((3, 2 << max(0, (m - 1).bit_length())))


@njit(cache=True, nogil=True)
def put(trees: Trees, places: NDArray[np.int64], weight: NDArray[np.float64], fresh: NDArray[np.bool_]) -> None:
    """These are in the urn; `weight` is of those that aren't fresh."""
    for i in range(len(places)):
        _set(trees, places[i], 0.0 if fresh[i] else weight[i], 1.0, 1.0 if fresh[i] else 0.0)


@njit(cache=True, nogil=True)
def draw(trees: Trees, u: NDArray[np.float64], uniform: float) -> NDArray[np.int64]:
    """The different places that come out in k draws by u (2, k), numbers in [0, 1): they are in the urn no more.

    While there are fresh ones, any of those; then any at all with chance `uniform`, or where none weighs anything, else
    by weight. Drawn by weight a place may come out again: where few weigh most, few come out.
    """
    drawn, found = np.empty(u.shape[1], np.int64), 0
    for i in range(u.shape[1]):
        if trees[COUNT, 1] < 0.5:
            break
        if trees[FRESH, 1] > 0.5:
            kind = FRESH
        elif u[0, i] < uniform or trees[WEIGHT, 1] <= 0.0:
            kind = COUNT
        else:
            kind = WEIGHT
        place = _find(trees[kind], u[1, i])
        if trees[COUNT, trees.shape[1] // 2 + place] > 0.5:
            _set(trees, place, trees[WEIGHT, trees.shape[1] // 2 + place], 0.0, 0.0)
            drawn[found] = place
            found += 1
    for i in range(found):
        _set(trees, drawn[i], 0.0, 0.0, 0.0)
    return drawn[:found]


def draw_numpy(trees: Trees, u: NDArray[np.float64], uniform: float) -> NDArray[np.int64]:
    leaves = trees[:, trees.shape[1] // 2 :].copy()
    drawn: list[int] = []
    for which, where in u.T:
        weight, count, fresh = leaves
        if not count.any():
            break
        by = fresh if fresh.any() else count if which < uniform or not weight.any() else weight
        place = int(np.searchsorted(np.cumsum(by), where * by.sum(), side="right"))
        if count[place]:
            drawn.append(place)
            leaves[COUNT, place] = leaves[FRESH, place] = 0.0
    leaves[:, drawn] = 0.0
    trees[:] = [_tree_numpy(row) for row in leaves]
    return np.array(drawn, np.int64)


def put_numpy(trees: Trees, places: NDArray[np.int64], weight: NDArray[np.float64], fresh: NDArray[np.bool_]) -> None:
    leaves = trees[:, trees.shape[1] // 2 :].copy()
    leaves[:, places] = np.stack([np.where(fresh, 0.0, weight), np.ones(len(places)), fresh])
    trees[:] = [_tree_numpy(row) for row in leaves]


def _tree_numpy(leaves: NDArray[np.float64]) -> NDArray[np.float64]:
    levels = [leaves]
    while len(levels[0]) > 1:
        levels.insert(0, levels[0].reshape(-1, 2).sum(axis=1))
    return np.concatenate([[0.0], *levels])


@njit(cache=True, nogil=True)
def _find(tree: NDArray[np.float64], u: float) -> int:
    """The place whose part of the sum has u in it; never one that weighs nothing."""
    at, left = 1, u * tree[1]
    while 2 * at < len(tree):
        at *= 2
        if left >= tree[at] and tree[at + 1] > 0.0:
            left -= tree[at]
            at += 1
    return at - len(tree) // 2


@njit(cache=True, nogil=True)
def _set(trees: Trees, place: int, weight: float, count: float, fresh: float) -> None:
    at = trees.shape[1] // 2 + place
    trees[WEIGHT, at], trees[COUNT, at], trees[FRESH, at] = weight, count, fresh
    while at > 1:
        at //= 2
        for kind in range(3):
            trees[kind, at] = trees[kind, 2 * at] + trees[kind, 2 * at + 1]
