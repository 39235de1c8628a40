"""Number: a decimal number from text, exact or left to a slower parser."""

from __future__ import annotations

import numpy as np
from numba import njit

from hdfs_io.kernels.bytes import U, digits, load8, value

TENS = 10.0 ** np.arange(23)  # each exact in a double
POWERS = np.array([10**k for k in range(9)], np.uint64)
EXACT = U(1 << 53)
DOT, MINUS, PLUS, E, BLANK, HASH, COLON = 46, 45, 43, 101, 32, 35, 58


@njit(inline="always")
def run(s, p, mantissa):  # type: ignore[no-untyped-def]
    """Digits from p on, appended to the mantissa (which may wrap around: more than 19 digits are not trusted)."""
    k = U(8)
    while k == U(8):
        word = load8(s, p)
        k = digits(word)
        if k > U(0):
            mantissa = mantissa * POWERS[k] + value(word, k)
            p += k
    return p, mantissa


@njit(inline="always")
def exponent(s, p):  # type: ignore[no-untyped-def]
    """The number after an `e`: its value, the place after it; no progress if it isn't 1 to 7 digits."""
    q, sign = p, np.int64(1)
    if s[q] == MINUS:
        sign = np.int64(-1)
        q += U(1)
    elif s[q] == PLUS:
        q += U(1)
    word = load8(s, q)
    k = digits(word)
    if k == U(0) or k == U(8):
        return np.int64(0), p
    return sign * np.int64(value(word, k)), q + k


@njit(nogil=True)
def number(s, p):  # type: ignore[no-untyped-def]
    """The number at p: (value, place after it, whether it is exact).

    A double holds every mantissa below 2^53 and every power of ten up to 22 exactly, so one rounding makes the result
    the nearest double (Clinger 1990). Other tokens, words such as nan too, come back inexact with the place after them.
    """
    start = p
    negative = s[p] == MINUS
    if negative or s[p] == PLUS:
        p += U(1)
    first = p
    p, mantissa = run(s, p, U(0))
    count, power = p - first, np.int64(0)
    if s[p] == DOT:
        point = p + U(1)
        p, mantissa = run(s, point, mantissa)
        count += p - point
        power = -np.int64(p - point)
    good = count > U(0) and count <= U(19) and mantissa < EXACT
    if good and (s[p] | 32) == E:
        more, q = exponent(s, p + U(1))
        good = q > p + U(1)
        power += more
        p = q
    if good and power >= -22 and power <= 22 and (s[p] <= BLANK or s[p] == COLON or s[p] == HASH):
        x = np.float64(np.int64(mantissa))
        x = x / TENS[-power] if power < 0 else x * TENS[power]
        return -x if negative else x, p, True
    p = start
    while s[p] > BLANK and s[p] != HASH:
        p += U(1)
    return 0.0, p, False
