"""libsvm: lines of `label index:value ...` into the arrays of a CSR matrix.

What numba has kept of these loops it compiles again when this file changes, not when those that it imports do; say so
here by a new number then: 3.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hdfs_io.kernels.bytes import U, digits, load8, value
from hdfs_io.kernels.number import POWERS, TENS, number

SPACE, TAB, RETURN, NEWLINE, HASH, COLON, NINE, ZERO = 32, 9, 13, 10, 35, 58, 57, 48
MOST = U(2**31 - 1)  # indices are kept as int32
QID = U(0x3A646971)  # "qid:"
GROUP = U(18)  # digits of the number after it
# what a line may lack; the reader turns these into words
FINE, INDEX, ORDER, VALUE, LARGE, TOKEN = range(6)


@njit(inline="always")
def blanks(s, p):  # type: ignore[no-untyped-def]
    """The place of the next character that isn't a blank; a remark counts as blanks."""
    while s[p] == SPACE or s[p] == TAB or s[p] == RETURN:
        p += U(1)
    if s[p] == HASH:
        while s[p] != NEWLINE:
            p += U(1)
    return p


@njit(inline="always")
def integer(s, p):  # type: ignore[no-untyped-def]
    """Digits at p: (their value, the place after them); values above 2^31 stay above it."""
    word = load8(s, p)
    k = digits(word)
    j = U(0)
    if k > U(0):
        j = value(word, k)
        p += k
    if k == U(8):
        while s[p] >= ZERO and s[p] <= NINE:
            j = min(j * U(10) + U(s[p] - ZERO), U(2) * MOST)
            p += U(1)
    return j, p


@njit(inline="always")
def group(s, p):  # type: ignore[no-untyped-def]
    """Digits at p: (their value, the place after them); of more than GROUP the value is wrong."""
    j = np.int64(0)
    while s[p] >= ZERO and s[p] <= NINE:
        j = j * 10 + (s[p] - ZERO)
        p += U(1)
    return j, p


@njit(inline="always")
def short(s, p):  # type: ignore[no-untyped-def]
    """The common ` 123:0.4567` at p: (index, value, place after it); the place is p if it is written otherwise."""
    word = load8(s, p + U(1))
    k = digits(word)
    if s[p] != SPACE or k == U(0) or k == U(8):
        return U(0), 0.0, p
    j, q = value(word, k), p + U(2) + k
    word = load8(s, q)
    lead = (word & U(0xFF)) - U(ZERO)
    if s[q - U(1)] != COLON or lead > U(9) or (word & U(0xFF00)) != U(0x2E00):
        return U(0), 0.0, p
    word = load8(s, q + U(2))
    k = digits(word)
    end = q + U(2) + k
    if k == U(0) or k == U(8) or s[end] > SPACE:
        return U(0), 0.0, p
    return j, np.float64(np.int64(lead * POWERS[k] + value(word, k))) / TENS[k], end


@njit(inline="always")
def pair(s, p):  # type: ignore[no-untyped-def]
    """index:value at p, as it may be written: (what is wrong, index, value, exact, begin of the value, place after)."""
    j, q = integer(s, p)
    if q == p or s[q] != COLON:
        return INDEX, j, 0.0, True, p, p
    if j > MOST:
        return LARGE, j, 0.0, True, p, p
    q += U(1)
    while s[q] == SPACE or s[q] == TAB:
        q += U(1)
    x, end, exact = number(s, q)
    if end == q or (s[end] > SPACE and s[end] != HASH):
        return VALUE, j, 0.0, True, p, p
    return FINE, j, x, exact, q, end


@njit(cache=True, nogil=True, error_model="numpy")
def parse(s, lo, hi, rising, y, indptr, indices, values, slow, qid):  # type: ignore[no-untyped-def]  # noqa: C901 (the loop over all text is one function)
    """Parse the lines of s[lo:hi]; at least 16 newlines or the next lines must follow.

    `rising`: indices that don't rise in a row are wrong. Filled: labels `y` (nan if a row has none), `qid` (-1 if it
    has none), `indptr` from 0, `indices` as written, `values`, and in `slow` numbers for a slower parser: (place in
    values, or -1 - place in y; first byte; byte after). Returns (rows, values, slow numbers, rows without label, least
    index, what is wrong, where).
    """
    p, end = U(lo), U(hi)
    r, z, n, bare = U(0), U(0), U(0), U(0)
    least = MOST
    indptr[0] = 0
    while p < end:
        p = blanks(s, p)
        if s[p] == NEWLINE:
            p += U(1)
            continue
        at = p
        y[r], p, exact = number(s, p)
        if s[p] == COLON:
            y[r], p, exact = np.nan, at, True
            bare += U(1)
        if not exact:
            slow[n, 0], slow[n, 1], slow[n, 2] = -1 - np.int64(r), np.int64(at), np.int64(p)
            n += U(1)
        begin, last = z, U(0)
        qid[r] = -1
        while True:
            j, x, q = short(s, p)
            exact = True
            if q == p:
                p = blanks(s, p)
                if s[p] == NEWLINE:
                    break
                if (load8(s, p) & U(0xFFFFFFFF)) == QID:
                    qid[r], q = group(s, p + U(4))
                    if q == p + U(4) or q > p + U(4) + GROUP or s[q] > SPACE:
                        return r, z, n, bare, least, TOKEN, p
                    p = q
                    continue
                wrong, j, x, exact, at, q = pair(s, p)
                if wrong != FINE:
                    return r, z, n, bare, least, wrong, p
            if rising and z > begin and j <= last:
                return r, z, n, bare, least, ORDER, p
            if not exact:
                slow[n, 0], slow[n, 1], slow[n, 2] = np.int64(z), np.int64(at), np.int64(q)
                n += U(1)
            indices[z], values[z] = np.int32(j), np.float32(x)
            z += U(1)
            last, p = j, q
        p += U(1)
        if z > begin:
            least = min(least, U(indices[begin]) if rising else U(indices[begin:z].min()))
        r += U(1)
        indptr[r] = np.int64(z)
    return r, z, n, bare, least, FINE, U(0)


@njit(cache=True, nogil=True)
def begins(s, lo, hi, out):  # type: ignore[no-untyped-def]
    """Where the lines of s[lo:hi] begin that hold more than blanks and remarks, and their numbers, from 0: out (n, 2).

    Returns n.
    """
    n, line, p = 0, 0, lo
    while p < hi:
        begin = p
        while p < hi and (s[p] == SPACE or s[p] == TAB or s[p] == RETURN):
            p += 1
        if p < hi and s[p] != NEWLINE and s[p] != HASH:
            out[n, 0], out[n, 1] = begin, line
            n += 1
        while p < hi and s[p] != NEWLINE:
            p += 1
        p += 1
        line += 1
    return n
