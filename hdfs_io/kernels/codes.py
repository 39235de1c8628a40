"""Codes: columns of CSV in which something may be a code rather than a number, found without parsing them."""

from __future__ import annotations

from numba import njit

from hdfs_io.kernels.records import NEWLINE, QUOTE, RETURN, SPACE, TAB

PLUS, MINUS, POINT, ZERO, NINE, SMALL_X, LARGE_X = 43, 45, 46, 48, 57, 120, 88
LONG = 16  # digits from which on a double may not hold a whole number


@njit(cache=True, nogil=True)
def suspects(s, lo, hi, sep, out):  # type: ignore[no-untyped-def]
    """Mark in out (columns,) those of s[lo:hi] where a field begins with a plus sign, with a 0 before other digits (or
    an x), with -0, or with LONG digits.

    What quotes enclose is looked at as if they weren't there, so that it may be counted as of another column.
    """
    column, run, last = 0, 0, len(out) - 1
    begin, minus = True, False
    for p in range(lo, hi):
        c = s[p]
        if c in (sep, NEWLINE, RETURN):
            column = min(column + 1, last) if c == sep else 0
            begin, minus, run = True, False, 0
        elif begin:
            if c in (SPACE, TAB, QUOTE):
                continue
            if c == MINUS:
                minus = True
                continue
            begin = False
            after = s[p + 1] if p + 1 < hi else NEWLINE
            if c == PLUS or (c == ZERO and _goes_on(after, minus)):
                out[column] = True
            run = 1 if ZERO <= c <= NINE else 0
        elif run:
            run = run + 1 if ZERO <= c <= NINE else 0
            if run == LONG:
                out[column] = True


@njit(inline="always")
def _goes_on(after, minus):  # type: ignore[no-untyped-def]
    """Whether a 0 that is followed by this isn't one that numbers are printed with."""
    return ZERO <= after <= NINE or after in (SMALL_X, LARGE_X) or (minus and after != POINT)
