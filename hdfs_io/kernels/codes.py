"""Codes: fields of CSV that begin as no number is printed: with a plus sign, with a 0 before a digit or an x, with -0.

What quotes enclose is looked at as if they weren't there.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hdfs_io.kernels.records import NEWLINE, QUOTE, RETURN, SPACE, TAB

PLUS, COMMA, MINUS, POINT, ZERO, TEN, LARGE_X, SMALL_X = map(np.uint8, (43, 44, 45, 46, 48, 10, 88, 120))


@njit(cache=True, nogil=True)
def any_codes(s, lo, hi, sep):  # type: ignore[no-untyped-def]
    """Whether there may be any in s[lo:hi], which more bytes follow; looked for as `holds` does."""
    sep, border = np.uint8(sep), np.uint8(NEWLINE)
    if lo < hi and _is_code(border, border, s[lo], s[lo + 1], sep):
        return True
    if lo + 1 < hi and _is_code(border, s[lo], s[lo + 1], s[lo + 2], sep):
        return True
    for begin in range(lo + 2, hi, 4096):
        end = min(hi, begin + 4096)
        further, before, here, after = s[begin - 2 : end], s[begin - 1 : end], s[begin:end], s[begin + 1 : end + 1]
        found = np.uint8(0)
        for k in range(len(here)):
            found |= np.uint8(_is_code(further[k], before[k], here[k], after[k], sep))
        if found:
            return True
    return False


@njit(inline="always")
def _ends(c, sep):  # type: ignore[no-untyped-def]
    """Whether a field may begin after c: line ends, blanks, quotes and commas are no more than the latter."""
    return ((c <= COMMA) & (c != PLUS)) | (c == sep)


@njit(inline="always")
def _is_code(further, before, c, after, sep):  # type: ignore[no-untyped-def]
    """Whether c, which stands between these bytes, begins such a field, but for its minus."""
    minus = (before == MINUS) & _ends(further, sep)
    more = (np.uint8(after - ZERO) < TEN) | (after == SMALL_X) | (after == LARGE_X) | (minus & (after != POINT))
    return (minus | _ends(before, sep)) & ((c == PLUS) | ((c == ZERO) & more))


@njit(cache=True, nogil=True)
def code_columns(s, lo, hi, sep, out):  # type: ignore[no-untyped-def]
    """Mark in out (columns,) those of s[lo:hi] with such fields."""
    column, last, begin = 0, len(out) - 1, True
    border, byte = np.uint8(NEWLINE), np.uint8(sep)
    for p in range(lo, hi):
        c = s[p]
        if c in (sep, NEWLINE, RETURN):
            column = min(column + 1, last) if c == sep else 0
            begin = True
        elif begin and c not in (SPACE, TAB, QUOTE) and c != MINUS:
            before = s[p - 1] if p > lo else border
            out[column] |= _is_code(border, before, c, s[p + 1], byte)
            begin = False
