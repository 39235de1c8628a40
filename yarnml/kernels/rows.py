"""Kernels over rows of a table: add, min, max, gather. Each has a numpy reference of the same name with `_numpy`.

`values` (n, width) is changed in place; `rows` (m,) are places in it, and repeated ones count. None checks bounds: see
`increasing`.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Index = npt.NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def add(values: Array, delta: Array) -> None:
    """values += delta, both contiguous and of one shape."""
    v, d = values.reshape(-1), delta.reshape(-1)
    for i in range(v.size):
        v[i] += d[i]


def add_numpy(values: Array, delta: Array) -> None:
    values += delta


@numba.njit(cache=True, nogil=True)
def add_rows(values: Array, rows: Index, delta: Array) -> None:
    """values[rows] += delta."""
    for i in range(rows.size):
        r = rows[i]
        for j in range(delta.shape[1]):
            values[r, j] += delta[i, j]


def add_rows_numpy(values: Array, rows: Index, delta: Array) -> None:
    np.add.at(values, rows, delta)


@numba.njit(cache=True, nogil=True)
def gather(values: Array, rows: Index, out: Array) -> None:
    """out[:] = values[rows]."""
    for i in range(rows.size):
        r = rows[i]
        for j in range(out.shape[1]):
            out[i, j] = values[r, j]


def gather_numpy(values: Array, rows: Index, out: Array) -> None:
    out[:] = values[rows]


@numba.njit(cache=True, nogil=True)
def increasing(rows: Index, low: int, high: int) -> bool:
    """Whether low <= rows[0] < rows[1] < ... < high."""
    last = low - 1
    for i in range(rows.size):
        if rows[i] <= last:
            return False
        last = rows[i]
    return bool(last < high)


def increasing_numpy(rows: Index, low: int, high: int) -> bool:
    if not rows.size:
        return low - 1 < high
    return bool(rows[0] >= low and rows[-1] < high and (np.diff(rows) > 0).all())


@numba.njit(cache=True, nogil=True)
def min_rows(values: Array, rows: Index, delta: Array) -> None:
    """values[rows] = min(values[rows], delta), where a nan is the least."""
    for i in range(rows.size):
        r = rows[i]
        for j in range(delta.shape[1]):
            d, v = delta[i, j], values[r, j]
            if d < v or d != d:
                values[r, j] = d


def min_rows_numpy(values: Array, rows: Index, delta: Array) -> None:
    np.minimum.at(values, rows, delta)


@numba.njit(cache=True, nogil=True)
def max_rows(values: Array, rows: Index, delta: Array) -> None:
    """values[rows] = max(values[rows], delta), where a nan is the most."""
    for i in range(rows.size):
        r = rows[i]
        for j in range(delta.shape[1]):
            d, v = delta[i, j], values[r, j]
            if d > v or d != d:
                values[r, j] = d


def max_rows_numpy(values: Array, rows: Index, delta: Array) -> None:
    np.maximum.at(values, rows, delta)
