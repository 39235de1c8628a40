"""LZ4: one block of the raw format (lz4_Block_format.md), whose length isn't known before."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def extended(s, p, count):  # type: ignore[no-untyped-def]
    """A count that goes on at `s[p]`, and where it ends; a count of -1 where `s` ends before."""
    while p < len(s):
        count += np.int64(s[p])
        p += 1
        if s[p - 1] != 255:
            return count, p
    return np.int64(-1), p


@njit(cache=True, nogil=True)
def unpack(s, out):  # type: ignore[no-untyped-def]
    """Decompress the bytes `s` into `out`; returns how many bytes that made, or -1 where `s` is no LZ4 or too long."""
    p, q, end, room = np.int64(0), np.int64(0), len(s), len(out)
    while p < end:
        token = np.int64(s[p])
        p += 1
        count = token >> 4
        if count == 15:
            count, p = extended(s, p, count)
        if count < 0 or count > end - p or count > room - q:
            return -1
        for k in range(count):
            out[q + k] = s[p + k]
        p, q = p + count, q + count
        if p == end:  # the last sequence holds literals alone
            return q
        if end - p < 2:
            return -1
        back = np.int64(s[p]) | (np.int64(s[p + 1]) << 8)
        p += 2
        count = (token & 15) + 4
        if count == 19:
            count, p = extended(s, p, count)
        if count < 0 or back == 0 or back > q or count > room - q:
            return -1
        for k in range(count):
            out[q + k] = out[q - back + k]
        q += count
    return -1
