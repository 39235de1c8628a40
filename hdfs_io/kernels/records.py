"""Records: where rows of CSV end, with regard to quotes (RFC 4180, or escaped by backslashes).

A line ends with a newline, or with a return that none follows, as it does for Arrow, whose rows these are.
"""

from __future__ import annotations

from numba import njit

NEWLINE, RETURN, QUOTE, SPACE, TAB, BACKSLASH = 10, 13, 34, 32, 9, 92
PLAIN = 256  # no byte: quotes, or backslashes, are characters like others


@njit(cache=True, nogil=True)
def holds(s, lo, hi, byte):  # type: ignore[no-untyped-def]
    """Whether the byte is in s[lo:hi]; looked for in stretches without a way out, so that many are looked at in one."""
    for begin in range(lo, hi, 4096):
        found = False
        for p in range(begin, min(hi, begin + 4096)):
            found |= s[p] == byte
        if found:
            return True
    return False


@njit(inline="always")
def _alone(s, p, hi):  # type: ignore[no-untyped-def]
    """Whether s[p] is a return that ends a line; what follows it must be there to tell."""
    return s[p] == RETURN and p + 1 < hi and s[p + 1] != NEWLINE


@njit(cache=True, nogil=True)
def walk(s, lo, hi, sep, most, quote, escape):  # type: ignore[no-untyped-def]
    """Pass over up to `most` records of s[lo:hi] that hold more than a line end, from a record's begin on.

    A quote opens only at a field's begin; inside, a doubled one stands for itself, and so does one after an `escape`.
    `quote` and `escape` are the bytes that are such, or PLAIN. Returns (records ended, place after the last of them).
    """
    records, border, begin = 0, lo, lo
    fresh, quoted, closed = True, False, False
    p = lo
    while p < hi and records < most:
        c = s[p]
        p += 1
        if quoted:
            closed = c == quote
            quoted = not closed
            p += c == escape
        elif c == NEWLINE or _alone(s, p - 1, hi):
            size = p - 1 - begin
            if size > 1 or (size == 1 and s[begin] != RETURN):
                records += 1
            border = begin = p
            fresh, closed = True, False
        elif c == quote and (fresh or closed):
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
        c = NEWLINE if _alone(s, p, hi) else s[p]
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


@njit(cache=True, nogil=True)
def unescape(s, lo, hi, sep):  # type: ignore[no-untyped-def]
    """Write what backslashes escape in the quoted fields of s[lo:hi] as RFC 4180 has it, in place.

    A quote is doubled, a backslash stands for itself; before other characters it is one of them. Returns (the new end,
    the line, from 0, of the first quote that was doubled before, or -1).
    """
    fresh, quoted, closed = True, False, False
    line, mixed = 0, -1
    p = q = lo
    while p < hi:
        c = s[p]
        p += 1
        line += c == NEWLINE
        if quoted:
            closed = c == QUOTE
            quoted = not closed
            if c == BACKSLASH and p < hi and (s[p] == QUOTE or s[p] == BACKSLASH):
                c = s[p]
                p += 1
                if c == QUOTE:
                    s[q] = QUOTE
                    q += 1
        elif c == QUOTE and (fresh or closed):
            if closed and mixed < 0:
                mixed = line
            quoted, fresh, closed = True, False, False
        else:
            fresh, closed = c in (sep, NEWLINE) or _alone(s, p - 1, hi), False
        s[q] = c
        q += 1
    return q, mixed


@njit(cache=True, nogil=True)
def doubt(s, lo, hi, sep, wanted):  # type: ignore[no-untyped-def]  # noqa: C901 (the loop over all text is one function)
    """Whether quotes in the records of s[lo:hi] are CSV's: (place of one that joins lines and likely isn't, or -1;
    how many are followed by more of their field, as no quote of CSV's is; place of the first of these that a backslash
    precedes, or -1).

    One that joins lines is doubtful if its field goes on after it, if it never closes, or if each of the joined lines
    has, taken alone, the `wanted` number of separators, if above 0: they look like records of their own.
    """
    loose, escaped, shut, p = 0, -1, lo, lo
    while p < hi:
        opened, begin, seps, alike, broken = -1, p, 0, wanted > 0, False
        fresh, quoted, closed = True, False, False
        while p < hi:
            c = NEWLINE if not quoted and _alone(s, p, hi) else s[p]
            if c == sep:
                seps += 1
            if c == NEWLINE:
                alike = alike and seps == wanted
                seps = 0
            if quoted:
                if c == NEWLINE and opened < 0:
                    opened = begin
                closed = c == QUOTE
                quoted = not closed
                shut = p if closed else shut
            elif c == QUOTE and (fresh or closed):
                begin = begin if closed else p
                quoted, fresh, closed = True, False, False
            else:
                if closed and c != sep and c != NEWLINE and c != RETURN and c != SPACE and c != TAB:
                    loose += 1
                    broken = True
                    if escaped < 0 and s[shut - 1] == BACKSLASH:
                        escaped = shut
                closed = closed and c in (SPACE, TAB) and c != sep
                fresh = c == sep
            p += 1
            if c == NEWLINE and not quoted:
                break
        if quoted:
            return (opened if opened >= 0 else begin), loose, escaped
        if opened >= 0 and (broken or alike):
            return opened, loose, escaped
    return -1, loose, escaped


@njit(cache=True, nogil=True)
def begins(s, lo, hi, sep, quote, out):  # type: ignore[no-untyped-def]
    """Of the first len(out) records of s[lo:hi]: where each begins, its line (from 0), its fields: out (records, 3)."""
    record, begin, line, lines, fields = 0, lo, 0, 0, 1
    fresh, quoted, closed = True, False, False
    for p in range(lo, hi + 1):
        c = s[p] if p < hi else NEWLINE
        if c == NEWLINE:
            lines += 1
        if quoted and p < hi:
            closed = c == quote
            quoted = not closed
        elif c == NEWLINE or _alone(s, p, hi):
            size = p - begin
            if (size > 1 or (size == 1 and s[begin] != RETURN)) and record < len(out):
                out[record, 0], out[record, 1], out[record, 2] = begin, line, fields
                record += 1
            begin, line, fields = p + 1, lines, 1
            fresh, closed = True, False
        elif c == quote and (fresh or closed):
            quoted, fresh, closed = True, False, False
        else:
            fields += c == sep
            fresh, closed = c == sep, False
    return record
