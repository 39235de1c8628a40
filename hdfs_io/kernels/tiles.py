"""Tiles: columns laid out as rows, a tile at a time so that both sides stay in the processor's cache."""

from __future__ import annotations

from numba import njit

TILE = 64  # rows


@njit(cache=True, nogil=True)
def lay(columns, rows, out):  # type: ignore[no-untyped-def]
    """out[i, j] = columns[j, rows[i]]: columns (d, m), rows (n,) positions in [0, m), out (n, d)."""
    n, d = out.shape
    for lo in range(0, n, TILE):
        hi = min(n, lo + TILE)
        for j in range(d):
            for i in range(lo, hi):
                out[i, j] = columns[j, rows[i]]
