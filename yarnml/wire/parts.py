"""Parts: the arrays of a message as bytes, and back. Rows and values of tables are packed where that is smaller."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, final

import numpy as np

from yarnml.errors import YarnmlError
from yarnml.wire import packing
from yarnml.wire.frozen import frozen
from yarnml.wire.message import Array

DESCRIPTOR = struct.Struct("<HBBBhqqqqqq")  # table dtype ndim form exponent base at | shape
SMALL = 1 << 16  # bytes below which a copy costs less than a frame of its own
ALIGNED = 16  # bytes: where an array in frame 0 may begin, so that it is used as it lies
MAX_ARRAYS = 1 << 16
MAX_BYTES = 1 << 32  # of one array
DESCRIBED = 1 << 10  # descriptors that are remembered
DTYPES = tuple(np.dtype(t) for t in ("f4", "f8", "i8", "i4", "u1", "f2", "i2", "i1", "u2", "u4", "u8", "?"))
CODES = {t: i for i, t in enumerate(DTYPES)}
BOOL = CODES[np.dtype("?")]
_UNUSED = [(0,) * (4 - ndim) for ndim in range(5)]  # places of a shape
_PADS = [bytes(n) for n in range(ALIGNED)]

Frame = bytes | Array


class WireError(YarnmlError):
    """Bytes that are no message of this protocol."""


@final
@frozen()
class Part:
    """An array on its way, with the table and row that it belongs to (0 where there is none), and what it is."""

    table: int
    at: int
    array: Array
    holds: packing.Kind | None = None  # what may be packed
    exponent: int | None = None  # of values that are float16 times two to this


def write(header: bytes, parts: Sequence[Part]) -> list[Frame]:
    """The frames of a message with arrays. Large ones are handed on, not copied, unless they are not contiguous."""
    head, small, large = [header], [], []  # type: list[bytes], list[bytes], list[Frame]
    room = packing.UNPACKED
    for part in parts:
        array, exponent = part.array, part.exponent
        packed, form, base, size = array, packing.PLAIN, 0, array.nbytes
        if exponent is not None or (part.holds and size >= packing.WORTH):
            packed, form, base = packing.pack(array, part.holds, exponent, room)
            room -= size if form & packing.PAIRS else 0
            size = packed.nbytes
        shape, code = array.shape + _UNUSED[array.ndim], CODES[array.dtype]
        head.append(DESCRIPTOR.pack(part.table, code, array.ndim, form, exponent or 0, base, part.at, *shape))
        if size < SMALL:
            small += (packed.tobytes(), _PADS[-size % ALIGNED])
        else:
            large.append(packed if packed.flags.c_contiguous else np.ascontiguousarray(packed))
    head.append(_PADS[-(len(header) + len(parts) * DESCRIPTOR.size) % ALIGNED])
    return [b"".join(head + small), *large]


def read(head: bytes, place: int, n: int, frames: Sequence[Any]) -> list[Part]:
    """The `n` arrays that `write` has written: small ones lie in the head one after another, each large one is a frame.
    Their descriptors begin at byte `place` of the head. They are read-only views. Raises WireError."""
    parts: list[Part] = []
    used, room, length, descriptor = 1, packing.UNPACKED, len(head), place
    if n:
        place += n * DESCRIPTOR.size
        if n > MAX_ARRAYS or length < place:
            raise WireError(f"{n} arrays announced in {length} bytes")
        place += -place % ALIGNED
    for i in range(n):
        said = _described(head[descriptor : descriptor + DESCRIPTOR.size])
        descriptor += DESCRIPTOR.size
        if said.form & packing.PAIRS:
            room -= said.dtype.itemsize * math.prod(said.shape)
            if room < 0:
                raise WireError(f"arrays of more than {packing.UNPACKED} bytes are packed")
        if said.size < SMALL:
            start, place = place, place + said.size + -said.size % ALIGNED
            if place > length:
                raise WireError(f"array {i} of shape {said.shape} ends beyond the {length} bytes of its frame")
            array = _array_of(said, head, start)
        else:
            array = _array_of(said, _large(i, frames, used, said.size), 0)
            array = array if array.flags.aligned else array.copy()
            array.flags.writeable = False
            used += 1
        parts.append(Part(said.table, said.at, array))
    if place != length or used != len(frames):
        raise WireError(f"{length} bytes and {len(frames)} frames, of which {n} arrays fill {place} and {used}")
    return parts


class _Described(NamedTuple):
    """What a descriptor says."""

    table: int
    at: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    size: int  # bytes on the wire
    plain: bool  # it lies there as it is used
    form: int
    base: int
    exponent: int


@lru_cache(DESCRIBED)
def _described(descriptor: bytes) -> _Described:
    """Most messages have one that was seen before. Raises WireError."""
    table, code, ndim, form, exponent, base, at, *shape = DESCRIPTOR.unpack(descriptor)
    if code >= len(DTYPES) or ndim > len(shape):
        raise WireError(f"an array of dtype code {code} and {ndim} dimensions")
    del shape[ndim:]
    dtype = DTYPES[code]
    size = dtype.itemsize * math.prod(shape)
    if size > MAX_BYTES or min(shape, default=0) < 0:
        raise WireError(f"an array of shape {shape}")
    if form:
        try:
            size = packing.wire_size(form, base, dtype, shape)
        except ValueError as error:
            raise WireError(f"an array of shape {shape}: {error}") from None
    plain = not form and size > 0 and code != BOOL
    return _Described(table, at, dtype, tuple(shape), size, plain, form, base, exponent)


def _large(i: int, frames: Sequence[Any], used: int, size: int) -> Any:
    """The next frame, which holds an array of this size."""
    if used >= len(frames):
        raise WireError(f"array {i} has no frame")
    buffer = memoryview(frames[used])
    if buffer.nbytes != size:
        raise WireError(f"array {i} has {buffer.nbytes} bytes instead of {size}")
    return buffer


def _array_of(said: _Described, buffer: Any, offset: int) -> Array:
    if said.plain:
        return np.ndarray(said.shape, said.dtype, buffer, offset)
    try:
        array = _unpacked(said, memoryview(buffer)[offset:][: said.size])
    except ValueError as error:
        raise WireError(f"an array of shape {said.shape}: {error}") from None
    array.flags.writeable = False
    return array


def _unpacked(said: _Described, buffer: memoryview) -> Array:
    """What doesn't lie there as it is used."""
    if said.form:
        n = math.prod(said.shape)
        flat: Array = packing.unpack(buffer, said.form, said.base, said.exponent, said.dtype, n)
    elif not buffer.nbytes:
        flat = np.zeros(0, said.dtype)
    else:  # a byte other than 0 and 1 is no bool
        flat = np.frombuffer(buffer, np.uint8) != 0
    return flat.reshape(said.shape)
