"""Number: a decimal number from text, exact or left to a slower parser."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io.kernels.bytes import U, as_double, digits, high_zeros, load8, product, value

TENS = 10.0 ** np.arange(23)  # each exact in a double
POWERS = np.array([10**k for k in range(9)], np.uint64)
EXACT = U(1 << 53)
LEAST, MOST = -300, 288  # powers of ten by which any mantissa gives a double that is neither subnormal nor inf
ZERO, DOT, MINUS, PLUS, E, BLANK, HASH, COLON = 48, 46, 45, 43, 101, 32, 35, 58


def _fives() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The upper and the lower 64 of the 128 leading bits of 5^q, LEAST <= q <= MOST.

    They are rounded up for -27 <= q < 0, so that halves are found to be such, and down for all others.
    """
    found = []
    for q in range(LEAST, MOST + 1):
        power = 5 ** abs(q)
        if q < 0:
            power = (1 << power.bit_length() + 127) // power + (q >= -27)
        shift = power.bit_length() - 128
        found.append(power >> shift if shift > 0 else power << -shift)
    return np.array([p >> 64 for p in found], np.uint64), np.array([p & (2**64 - 1) for p in found], np.uint64)


UPPER, LOWER = _fives()


@njit(inline="always")
def nearest(w, q):  # type: ignore[no-untyped-def]
    """The double nearest to w 10^q, 0 < w < 2^64, LEAST <= q <= MOST.

    w is multiplied by the leading bits of 5^q, of which 64 are nearly always enough to round right, and 128 always
    [Lemire 2021, "Number parsing at a gigabyte per second", algorithm 1; Mushtak, Lemire 2023, "Fast number parsing
    without fallback"].
    """
    zeros = high_zeros(w)
    w <<= zeros
    high, low = product(w, UPPER[q - LEAST])
    if high & U(0x1FF) == U(0x1FF):  # a carry from below would reach the bits that are kept
        more, _ = product(w, LOWER[q - LEAST])
        low += more
        if low < more:
            high += U(1)
    top = high >> U(63)
    m = high >> (top + U(9))  # 54 bits: one more than a double has
    if low <= U(1) and q >= -4 and q <= 23 and m & U(3) == U(1) and m << (top + U(9)) == high:
        m &= ~U(1)  # halfway exactly: to even
    m = (m + (m & U(1))) >> U(1)
    e = ((np.int64(217706) * q) >> 16) + 1086 + np.int64(top) - np.int64(zeros)  # 217706 / 2^16 = log2(10)
    if m >> U(53):
        m >>= U(1)
        e += 1
    return as_double((m & (EXACT - U(1)) >> U(1)) | (U(e) << U(52)))


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
    the nearest double (Clinger 1990); `nearest` takes mantissas of up to 19 digits. Other tokens, words such as nan
    too, come back inexact with the place after them.
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
    if count > U(19):
        while s[first] == ZERO or s[first] == DOT:  # zeros before the first digit that counts
            count -= U(s[first] == ZERO)
            first += U(1)
    good = count > U(0) and count <= U(19)
    if good and (s[p] | 32) == E:
        more, q = exponent(s, p + U(1))
        good = q > p + U(1)
        power += more
        p = q
    if good and (s[p] <= BLANK or s[p] == COLON or s[p] == HASH):
        if mantissa < EXACT and power >= -22 and power <= 22:
            x = np.float64(np.int64(mantissa))
            x = x / TENS[-power] if power < 0 else x * TENS[power]
            return -x if negative else x, p, True
        if mantissa > U(0) and power >= LEAST and power <= MOST:
            x = nearest(mantissa, power)
            return -x if negative else x, p, True
    p = start
    while s[p] > BLANK and s[p] != HASH:
        p += U(1)
    return 0.0, p, False
