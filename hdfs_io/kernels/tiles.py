"""Tiles: columns laid out as rows, a tile at a time so that both sides stay in the processor's cache."""

from __future__ import annotations

from numba import njit

from hdfs_io.kernels.square import (
    SIDE,
    one_float32,
    one_float64,
    one_int64,
    square_float32,
    square_float64,
    square_int64,
)

TILE = 512  # rows
FLOAT32, FLOAT64, INT64 = 0, 1, 2  # kinds of columns


@njit(cache=True, nogil=True)
def lay(columns, kinds, rows, out):  # type: ignore[no-untyped-def]
    """out[i, j] = column j at rows[i], as float32. Returns whether all of them are finite.

    columns (d,): the address of each column's first number; kinds (d,): of what type it is; rows (n,): rising
    positions; out (n, d), of float32.
    """
    n, d = out.shape
    last, odd = max(0, d - SIDE), False
    for lo in range(0, n, TILE):
        hi = min(n, lo + TILE)
        for begin in range(0, d, SIDE):
            j = min(begin, last)  # the last square overlaps the one before
            kind = _common(kinds, j)
            for i in range(lo, hi, SIDE):
                if kind >= 0 and i + SIDE <= hi and rows[i + SIDE - 1] - rows[i] == SIDE - 1:
                    places = columns.ctypes.data + 8 * j, rows[i], out.ctypes.data + 4 * (d * i + j), 4 * d
                    if kind == FLOAT32:
                        odd |= square_float32(*places) != 0
                    elif kind == FLOAT64:
                        odd |= square_float64(*places) != 0
                    else:
                        odd |= square_int64(*places) != 0
                else:
                    odd |= _one_by_one(columns, kinds, rows, out, i, min(hi, i + SIDE), j)
    return not odd


@njit(inline="always")
def _common(kinds, j):  # type: ignore[no-untyped-def]
    """The kind of the columns from j on that make a square; -1 where they differ or are too few."""
    if j + SIDE > len(kinds):
        return -1
    for k in range(j + 1, j + SIDE):
        if kinds[k] != kinds[j]:
            return -1
    return kinds[j]


@njit(nogil=True)
def _one_by_one(columns, kinds, rows, out, lo, hi, begin):  # type: ignore[no-untyped-def]
    """The same for rows [lo, hi) of a square's columns. Returns whether any number isn't finite."""
    odd = False
    for j in range(begin, min(begin + SIDE, len(columns))):
        for i in range(lo, hi):
            if kinds[j] == FLOAT32:
                x = one_float32(columns[j], rows[i])
            elif kinds[j] == FLOAT64:
                x = one_float64(columns[j], rows[i])
            else:
                x = one_int64(columns[j], rows[i])
            out[i, j] = x
            odd |= x - x != 0
    return odd
