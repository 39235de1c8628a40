"""Records: where rows of CSV end, with regard to quotes (RFC 4180)."""

from __future__ import annotations

from numba import njit

NEWLINE, RETURN, QUOTE, SPACE, TAB = 10, 13, 34, 32, 9


@njit(cache=True, nogil=True)
def walk(s, lo, hi, sep, most):  # type: ignore[no-untyped-def]
    """Pass over up to `most` records of s[lo:hi] that hold more than a line end, from a record's begin on.

    A quote opens only at a field's begin; inside, a doubled one stands for itself. Returns (records ended, place after
    the last that ended).
    """
    records, border, begin = 0, lo, lo
    fresh, quoted, closed = True, False, False
    p = lo
    while p < hi and records < most:
        c = s[p]
        p += 1
        if quoted:
            closed = c == QUOTE
            quoted = not closed
        elif c == NEWLINE:
            size = p - 1 - begin
            if size > 1 or (size == 1 and s[begin] != RETURN):
                records += 1
            border = begin = p
            fresh, closed = True, False
        elif c == QUOTE and (fresh or closed):
            quoted, fresh, closed = True, False, False
        else:
            fresh, closed = c == sep, False
    return records, border


@njit(cache=True, nogil=True)
def squeeze(s, lo, hi):  # type: ignore[no-untyped-def]
    """Make every run of blanks in s[lo:hi] one space, none at a line's ends, in place; returns the new end."""
    q = lo
    bare = True  # nothing of the line is written yet
    for p in range(lo, hi):
        c = s[p]
        if c in (TAB, SPACE, RETURN):
            if not bare and s[q - 1] != SPACE:
                s[q] = SPACE
                q += 1
            continue
        if c == NEWLINE and not bare and s[q - 1] == SPACE:
            q -= 1
        s[q] = c
        q += 1
        bare = c == NEWLINE
    return q
