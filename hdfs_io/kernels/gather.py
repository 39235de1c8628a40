"""Gather: chosen rows of a CSR matrix, copied together."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def gather(indptr, indices, values, rows, to_indptr, to_indices, to_values):  # type: ignore[no-untyped-def]
    """Copy row `rows[k]` to the place that `to_indptr` gives to row k. Filled: `to_indices`, `to_values`."""
    for k in range(len(rows)):
        lo = indptr[rows[k]]
        shift = to_indptr[k] - lo
        for z in range(lo, indptr[rows[k] + 1]):
            to_indices[z + shift] = indices[z]
            to_values[z + shift] = values[z]
