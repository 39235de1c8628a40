"""Packing: how an array lies on the wire where that takes fewer bytes than it has in memory.

    index    a list that increases: its first number, and the gaps between neighbours in 1, 2 or 4 bytes each
    pairs    of an array of which most is 0, what isn't: the gaps between their places, then the numbers
    half     numbers that were rounded to float16 times a power of two before, as float16; also in pairs

What comes out equals what went in, but for the sign of a 0. Each array is packed or not by its own looks.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
PLAIN, INDEX, PAIRS = range(3)
HALF = 16  # with PLAIN or PAIRS
Kind = Literal["rows", "values"]  # int64 that increase; numbers of a table
WORTH = 512  # bytes of an array from which on it is looked at
GLANCE = 8  # numbers of it that are looked at first: are all of them other than 0, so are most
SAMPLE = 64  # numbers of it that are looked at then
UNPACKED = 1 << 28  # bytes that the pairs of one message may become: a small one can't fill the receiver's memory
GAPS = tuple(np.dtype(t) for t in ("u1", "<u2", "<u4"))
MOST = tuple(int(np.iinfo(t).max) for t in GAPS)
FLOAT16 = np.dtype("<f2")


class Packed(NamedTuple):
    """Bytes, and what it takes to make the array of them."""

    buffer: Array
    form: int = PLAIN  # | HALF | 4 times the place of the gaps' type in `GAPS`
    base: int = 0  # first number of an index; how many pairs


def pack(array: Array, kind: Kind | None, exponent: int | None, room: int) -> Packed:
    """An array as it travels. `exponent`: its numbers are float16 times 2**exponent. `room`: bytes that pairs may
    become."""
    if kind == "rows":
        return _pack_index(array)
    return _pack_values(array, exponent, room)


def _pack_index(rows: Array) -> Packed:
    if not len(rows):
        return Packed(rows)
    gaps = rows[1:] - rows[:-1]
    most = int(np.maximum.reduce(gaps.view(np.uint64), initial=0))  # what falls is more than all that fits
    width = _narrowest(most)
    if width is None:
        return Packed(rows)
    return Packed(gaps.astype(GAPS[width]), INDEX | 4 * width, int(rows[0]))


def _pack_values(values: Array, exponent: int | None, room: int) -> Packed:
    numbers, form = values, PLAIN
    if exponent is not None:
        numbers, form = np.ldexp(values, -exponent).astype(FLOAT16), HALF
    if values.nbytes < WORTH or values.nbytes > room or not values.flags.c_contiguous:
        return Packed(numbers, form)
    flat = values.reshape(-1)
    if all(flat[:: 1 + flat.size // GLANCE].tolist()):
        return Packed(numbers, form)
    if 2 * np.count_nonzero(flat[:: 1 + flat.size // SAMPLE]) > SAMPLE:
        return Packed(numbers, form)
    places = np.flatnonzero(flat)
    gaps = np.diff(places, prepend=-1)
    width = _width(gaps)
    if width is None or len(places) * (GAPS[width].itemsize + numbers.itemsize) >= numbers.nbytes:
        return Packed(numbers, form)
    buffer = gaps.astype(GAPS[width]).tobytes() + numbers.reshape(-1)[places].tobytes()
    return Packed(np.frombuffer(buffer, np.uint8), form | PAIRS | 4 * width, len(places))


def _width(gaps: Array) -> int | None:
    """The narrowest type for gaps, None if there is none or one isn't above 0."""
    if not len(gaps):
        return 0
    return _narrowest(int(gaps.max())) if int(gaps.min()) > 0 else None


def _narrowest(gap: int) -> int | None:
    return next((i for i, most in enumerate(MOST) if gap <= most), None)


def wire_size(form: int, base: int, dtype: np.dtype[Any], shape: list[int]) -> int:
    """Bytes on the wire of an array of `shape`, whose numbers are none below 0. Raises ValueError for no form."""
    n, kind, width = math.prod(shape), form & 3, (form >> 2) & 3
    if form & ~0b11111 or width >= len(GAPS) or (form & HALF and dtype.kind != "f"):
        raise ValueError(f"form {form} of {dtype}")
    gap = GAPS[width].itemsize
    item = FLOAT16.itemsize if form & HALF else dtype.itemsize
    match kind:
        case 0 if width == 0:
            return n * item
        case 1 if dtype == np.int64 and len(shape) == 1 and n and not form & HALF:
            return (n - 1) * gap
        case 2 if dtype.kind != "b" and 0 <= base <= n:
            return base * (gap + item)
    raise ValueError(f"form {form} of {base} of {n} {dtype}")


def unpack(buffer: memoryview, form: int, base: int, exponent: int, dtype: np.dtype[Any], n: int) -> Array:
    """The flat array of `n` numbers in a buffer of its `wire_size`. Raises ValueError if there is none."""
    gap, stored = GAPS[(form >> 2) & 3], FLOAT16 if form & HALF else dtype
    if form & 3 == INDEX:
        rows = np.empty(n, np.int64)
        rows[0] = base
        rows[1:] = np.frombuffer(buffer, gap)
        np.add.accumulate(rows, out=rows)
        return rows
    if form & 3 == PLAIN:
        return _widened(np.frombuffer(buffer, stored), exponent, dtype)
    gaps = np.frombuffer(buffer[: base * gap.itemsize], gap)
    places = np.cumsum(gaps, dtype=np.int64) - 1
    if base and (int(gaps.min()) == 0 or places[-1] >= n):
        raise ValueError("places beyond the array, or twice the same")
    out = np.zeros(n, dtype)
    out[places] = _widened(np.frombuffer(buffer[base * gap.itemsize :], stored), exponent, dtype)
    return out


def _widened(numbers: Array, exponent: int, dtype: np.dtype[Any]) -> Array:
    if numbers.dtype == dtype:
        return numbers
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        wide: Array = np.ldexp(numbers.astype(dtype), exponent)
    return wide
