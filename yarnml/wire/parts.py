"""Parts: the arrays of a message as bytes, and back. Rows and values of tables are packed where that is smaller."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from yarnml.errors import YarnmlError
from yarnml.wire import packing
from yarnml.wire.message import Array

DESCRIPTOR = struct.Struct("<HBBBhqqqqqq")  # table dtype ndim form exponent base at | shape
SMALL = 1 << 16  # bytes below which a copy costs less than a frame of its own
ALIGNED = 16  # bytes: where an array in frame 0 may begin, so that it is used as it lies
MAX_ARRAYS = 1 << 16
MAX_BYTES = 1 << 32  # of one array
DTYPES = tuple(np.dtype(t) for t in ("f4", "f8", "i8", "i4", "u1", "f2", "i2", "i1", "u2", "u4", "u8", "?"))
CODES = {t: i for i, t in enumerate(DTYPES)}

Frame = bytes | Array


class WireError(YarnmlError):
    """Bytes that are no message of this protocol."""


class Part(NamedTuple):
    """An array on its way, with the table and row that it belongs to (0 where there is none), and what it is."""

    table: int
    at: int
    array: Array
    holds: packing.Kind | None = None  # what may be packed
    exponent: int | None = None  # of values that are float16 times two to this


def write(parts: Sequence[Part], place: int) -> tuple[list[bytes], list[Frame]]:
    """What follows in frame 0, from byte `place` on, and the frames of large arrays, which are handed on, not copied,
    unless they are not contiguous."""
    head: list[bytes] = []
    small: list[bytes] = []
    large: list[Frame] = []
    room = packing.UNPACKED
    for table, at, array, holds, exponent in parts:
        packed, form, base = array, packing.PLAIN, 0
        if exponent is not None or (holds and array.nbytes >= packing.WORTH):
            packed, form, base = packing.pack(array, holds, exponent, room)
            room -= array.nbytes if form & packing.PAIRS else 0
        shape = array.shape + (0,) * (4 - array.ndim)
        head.append(DESCRIPTOR.pack(table, CODES[array.dtype], array.ndim, form, exponent or 0, base, at, *shape))
        if packed.nbytes < SMALL:
            small += (packed.tobytes(), bytes(-packed.nbytes % ALIGNED))
        else:
            large.append(packed if packed.flags.c_contiguous else np.ascontiguousarray(packed))
    head.append(_padding(place, len(parts)))
    return head + small, large


def _padding(place: int, arrays: int) -> bytes:
    """What stands between the descriptors and the first small array."""
    return bytes(-(place + arrays * DESCRIPTOR.size) % ALIGNED if arrays else 0)


def read(head: bytes, place: int, n: int, frames: Sequence[Any]) -> list[Part]:
    """The `n` arrays that `write` has written: small ones lie in the head one after another, each large one is a frame.
    They are read-only views. Raises WireError."""
    if n > MAX_ARRAYS or len(head) < place + n * DESCRIPTOR.size:
        raise WireError(f"{n} arrays announced in {len(head)} bytes")
    parts, used, room = [], 1, packing.UNPACKED
    descriptors, place = place, place + n * DESCRIPTOR.size + len(_padding(place, n))
    for i in range(n):
        table, code, ndim, form, exponent, base, at, *shape = DESCRIPTOR.unpack_from(
            head, descriptors + i * DESCRIPTOR.size
        )
        size = _size(i, code, ndim, form, base, shape)
        room -= DTYPES[code].itemsize * math.prod(shape) if form & packing.PAIRS else 0
        if room < 0:
            raise WireError(f"arrays of more than {packing.UNPACKED} bytes are packed")
        if size < SMALL:
            buffer = memoryview(head)[place : place + size]
            place += size + -size % ALIGNED
        elif used < len(frames):
            buffer = memoryview(frames[used])
            used += 1
        else:
            raise WireError(f"array {i} has no frame")
        if buffer.nbytes != size:
            raise WireError(f"array {i} of shape {shape} has {buffer.nbytes} bytes instead of {size}")
        try:
            parts.append(Part(table, at, _array_of(buffer, form, base, exponent, DTYPES[code], shape)))
        except ValueError as error:
            raise WireError(f"array {i}: {error}") from None
    if place != len(head) or used != len(frames):
        raise WireError(f"{len(head)} bytes and {len(frames)} frames, of which {n} arrays fill {place} and {used}")
    return parts


def _size(i: int, code: int, ndim: int, form: int, base: int, shape: list[int]) -> int:
    """Bytes on the wire of array `i`, whose shape loses the places that it doesn't use."""
    if code >= len(DTYPES) or ndim > 4:
        raise WireError(f"array {i} has dtype code {code} and {ndim} dimensions")
    del shape[ndim:]
    size = DTYPES[code].itemsize * math.prod(shape)
    if size > MAX_BYTES or (shape and min(shape) < 0):
        raise WireError(f"array {i} has shape {shape}")
    if not form:
        return size
    try:
        return packing.wire_size(form, base, DTYPES[code], shape)
    except ValueError as error:
        raise WireError(f"array {i}: {error}") from None


def _array_of(
    buffer: memoryview, form: int, base: int, exponent: int, dtype: np.dtype[Any], shape: list[int]
) -> Array:  # fmt: skip
    if form:
        array: Array = packing.unpack(buffer, form, base, exponent, dtype, math.prod(shape))
    elif not buffer.nbytes:
        array = np.zeros(0, dtype)
    elif dtype.kind == "b":  # a byte other than 0 and 1 is no bool
        array = np.frombuffer(buffer, np.uint8) != 0
    else:
        array = np.frombuffer(buffer, dtype)
    array = (array if array.flags.aligned else array.copy()).reshape(shape)
    array.flags.writeable = False
    return array
