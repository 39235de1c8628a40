"""Order: rows sorted by a code, those of one code in their old order, in one pass."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]


@numba.njit(nogil=True, cache=True)
def by_code(code: I32, other: I32, r: F32, lo: int, hi: int) -> tuple[I64, I32, F32]:
    """Where the rows of each code in [lo, hi) begin (hi - lo + 1,), and their other code and rating, code by code."""
    indptr = np.zeros(hi - lo + 1, np.int64)
    for t in range(len(code)):
        indptr[code[t] - lo + 1] += 1
    for c in range(hi - lo):
        indptr[c + 1] += indptr[c]
    at = indptr[:-1].copy()
    other_, r_ = np.empty(len(code), np.int32), np.empty(len(code), np.float32)
    for t in range(len(code)):
        place = at[code[t] - lo]
        at[code[t] - lo] = place + 1
        other_[place], r_[place] = other[t], r[t]
    return indptr, other_, r_


def by_code_reference(code: I32, other: I32, r: F32, lo: int, hi: int) -> tuple[I64, I32, F32]:
    order = np.argsort(code, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(code - lo, minlength=hi - lo))))
    return indptr, other[order], r[order]


def merged(indptr: I64, other: I32, r: F32) -> tuple[I64, I32, F32]:
    """The same with the ratings of one pair added up, in the order of the other's code."""
    rows = len(indptr) - 1
    code = np.repeat(np.arange(rows), np.diff(indptr))
    pair: Any = code * (int(other.max(initial=0)) + 1) + other
    _, first, place = np.unique(pair, return_index=True, return_inverse=True)
    total = np.bincount(place, r, len(first)).astype(np.float32)
    return np.concatenate(([0], np.cumsum(np.bincount(code[first], minlength=rows)))), other[first], total
