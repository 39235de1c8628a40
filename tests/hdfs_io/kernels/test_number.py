"""Numbers from text are the doubles that Python reads, or are left to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from hdfs_io.kernels.number import number

DIGITS = st.integers(0, 10**19 - 1)
POWER = st.integers(-310, 310)
SPELT = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.builds("{}e{}".format, DIGITS, POWER)
    | st.builds("-{}.{}".format, st.integers(0, 10**6), DIGITS)
    | st.builds(lambda zeros, digits: f"0.{'0' * zeros}{digits}", st.integers(0, 30), DIGITS)
    # halfway between two doubles: 2k + 1 times a power of two, and the same divided by powers of ten
    | st.builds(lambda k, n: str((2**53 + 2 * k + 1) << n), st.integers(0, 2**52 - 1), st.integers(0, 9))
    | st.builds(lambda k, n: f"{(2**53 + 2 * k + 1) * 5**n}e-{n}", st.integers(0, 2**52 - 1), st.integers(1, 4))
)


@njit
def read(s, starts, out, exact):  # type: ignore[no-untyped-def]
    for i in range(len(starts)):
        out[i], _, exact[i] = number(s, np.uint64(starts[i]))


def check(texts: list[str]) -> float:
    """The share of the texts that were read exactly; no other may be taken for it."""
    line = " ".join(texts).encode()
    starts = np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])
    out, exact = np.empty(len(texts)), np.empty(len(texts), np.bool_)
    read(np.frombuffer(line + b"\n" * 64, np.uint8), starts, out, exact)
    want = np.array([float(text) for text in texts])
    assert [texts[i] for i in np.flatnonzero(exact & (out.view(np.int64) != want.view(np.int64)))] == []
    return float(exact.mean())


@given(st.lists(SPELT, min_size=1, max_size=50))
@example(["9007199254740993", "9007199254740995e0", "46400324471804415e-1", "1e288", "9999999999999999999e288"])
@example(["-0", "0e400", "0.00000000000000000000012345678901234567", "1e-300", "5e-324", "1.7976931348623157e308"])
@settings(deadline=None)
def test_exact_or_left(texts: list[str]) -> None:
    check(texts)


def test_doubles_as_they_are_written_are_read_at_once() -> None:
    rng = np.random.default_rng(1)
    assert check([repr(float(x)) for x in rng.standard_normal(10_000)]) == 1
    assert check([f"{x:.18f}" for x in rng.random(10_000)]) == 1


@pytest.mark.full
@pytest.mark.timeout(600)
def test_any_bits_in_full() -> None:
    bits = np.random.default_rng(2).integers(0, 2**64, 2_000_000, np.uint64)
    every = bits.view(np.float64)
    assert check([repr(x) for x in every[np.isfinite(every)].tolist()]) > 0.9
