"""Frames: a message as bytes, and bytes as a message or a `WireError`.

    frame 0       header (80 bytes) | a descriptor (55 bytes) of each array | the buffers of small arrays, aligned
    frames 1...   the buffers of large arrays, each its own, so that none is copied

Rows' numbers and values of tables are packed where that is smaller: see `packing.py`.

Nothing is unpickled. Whatever arrives is checked against fixed types and bounded sizes before an array is made of it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from yarnml.errors import YarnmlError
from yarnml.wire import message as m
from yarnml.wire import packing
from yarnml.wire.message import Array, Message, Patch

MAGIC = b"yw"
VERSION = 5
HEADER = struct.Struct("<2sBBIiqQqiqqqQI")  # magic version kind | generation sender clock seq read | extra | arrays
DESCRIPTOR = struct.Struct("<HBBBhqqqqqq")  # table dtype ndim form exponent base at | shape
SMALL = 1 << 16  # bytes below which a copy costs less than a frame of its own
ALIGNED = 16  # bytes: where an array in frame 0 may begin, so that it is used as it lies
MAX_ARRAYS = 1 << 16
MAX_BYTES = 1 << 32  # of one array
MAX_TEXT = 1 << 20
SCATTERED = -1  # the `at` of a patch whose rows are listed

DTYPES = tuple(np.dtype(t) for t in ("f4", "f8", "i8", "i4", "u1", "f2", "i2", "i1", "u2", "u4", "u8", "?"))
CODES = {t: i for i, t in enumerate(DTYPES)}


class WireError(YarnmlError):
    """Bytes that are no message of this protocol."""


class Part(NamedTuple):
    """An array on its way, with the table and row that it belongs to (0 where there is none), and what it is."""

    table: int
    at: int
    array: Array
    holds: str = ""  # "rows", which increase, or "values" of a table: these may be packed
    exponent: int | None = None  # of values that are float16 times two to this


Frame = bytes | Array
Extra = tuple[int, int, int, int, int]  # table, start, stop, own, number
NONE: Extra = (0, 0, 0, 0, 0)


def encode(message: Message) -> list[Frame]:
    """Header and buffers of a message. Large arrays are handed on, not copied, unless they are not contiguous."""
    kind = KIND[type(message)]
    extra, parts = _FORMS[kind].pack(message)
    head = [
        HEADER.pack(
            MAGIC, VERSION, kind, message.generation, message.sender, message.clock, message.seq, message.read,
            *extra, len(parts),
        )
    ]  # fmt: skip
    small: list[bytes] = []
    large: list[Frame] = []
    room = packing.UNPACKED
    for part in parts:
        array = part.array
        packed, form, base = _packed(part, room)
        room -= array.nbytes if form & packing.PAIRS else 0
        shape = array.shape + (0,) * (4 - array.ndim)
        head.append(
            DESCRIPTOR.pack(part.table, CODES[array.dtype], array.ndim, form, part.exponent or 0, base, part.at, *shape)
        )
        if packed.nbytes < SMALL:
            small += (packed.tobytes(), bytes(-packed.nbytes % ALIGNED))
        else:
            large.append(packed if packed.flags.c_contiguous else np.ascontiguousarray(packed))
    if parts:
        head.append(bytes(-_directory(len(parts)) % ALIGNED))
    return [b"".join(head + small), *large]


def _packed(part: Part, room: int) -> packing.Packed:
    if part.holds == "rows":
        return packing.pack_index(part.array)
    if part.holds == "values":
        return packing.pack_values(part.array, part.exponent, room)
    return packing.Packed(part.array)


def _directory(arrays: int) -> int:
    """Bytes of the header and the descriptors."""
    return HEADER.size + arrays * DESCRIPTOR.size


def decode(frames: Sequence[Any]) -> Message:
    """The message in `frames` (objects with a buffer). Its arrays are read-only views. Raises `WireError` only."""
    if not frames:
        raise WireError("no frame")
    head = bytes(frames[0])
    if len(head) < HEADER.size:
        raise WireError(f"a header of {len(head)} bytes")
    magic, version, kind, generation, sender, clock, seq, read, *extra, n = HEADER.unpack_from(head)
    if magic != MAGIC or version != VERSION:
        raise WireError(f"not version {VERSION} of the protocol: {magic!r} {version}")
    if kind >= len(_FORMS):
        raise WireError(f"unknown kind {kind}")
    if n > MAX_ARRAYS or len(head) < _directory(n):
        raise WireError(f"{n} arrays announced in {len(head)} bytes")
    parts = _parts(head, n, frames)
    fields = _FORMS[kind].unpack(tuple(extra), parts)
    message: Message = TYPES[kind](
        generation=generation, sender=sender, clock=clock, seq=seq, read=read, **fields
    )  # fmt: skip
    return message


def _parts(head: bytes, n: int, frames: Sequence[Any]) -> list[Part]:
    """The arrays: small ones lie in the head one after another, each large one is a frame."""
    parts, used, room = [], 1, packing.UNPACKED
    place = _directory(n) + (-_directory(n) % ALIGNED if n else 0)
    for i in range(n):
        table, code, ndim, form, exponent, base, at, *shape = DESCRIPTOR.unpack_from(head, _directory(i))
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


# ---- what each kind puts beside the header


class _Form(NamedTuple):
    pack: Callable[[Any], tuple[Extra, Sequence[Part]]]
    unpack: Callable[[Extra, list[Part]], dict[str, Any]]


def _nothing() -> _Form:
    def unpack(_: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(not parts, "no array")
        return {}

    return _Form(lambda _: (NONE, ()), unpack)


def _texts(*names: str) -> _Form:
    def unpack(_: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) == len(names), f"{len(names)} texts")
        return {name: _text(part) for name, part in zip(names, parts, strict=True)}

    return _Form(lambda msg: (NONE, [_bytes(getattr(msg, name)) for name in names]), unpack)


def _roster() -> _Form:
    def pack(msg: m.Roster) -> tuple[Extra, list[Part]]:
        return (0, msg.index, int(msg.going), msg.incarnation, msg.rounds), [
            _bytes(text) for text in (msg.checkpoint, *msg.servers)
        ]

    def unpack(extra: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(bool(parts) and extra[2] in (0, 1), "a checkpoint, and whether the run goes on")
        checkpoint, *servers = (_text(part) for part in parts)
        return {
            "servers": tuple(servers), "index": extra[1], "going": bool(extra[2]), "incarnation": extra[3],
            "rounds": extra[4], "checkpoint": checkpoint,
        }  # fmt: skip

    return _Form(pack, unpack)


def _arrays(name: str) -> _Form:
    return _Form(
        lambda msg: (NONE, [Part(0, 0, array) for array in getattr(msg, name)]),
        lambda _, parts: {name: tuple(part.array for part in parts)},
    )


def _array(name: str) -> _Form:
    def unpack(_: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) == 1, "one array")
        return {name: parts[0].array}

    return _Form(lambda msg: (NONE, [Part(0, 0, getattr(msg, name))]), unpack)


def _patches() -> _Form:
    def pack(msg: m.EndClock | m.Increments) -> tuple[Extra, list[Part]]:
        parts = []
        for p in msg.patches:
            if p.rows is not None:
                parts.append(Part(p.table, SCATTERED, p.rows, "rows"))
            at = SCATTERED if p.rows is not None else p.start
            parts.append(Part(p.table, at, p.values, "values", p.exponent))
        return NONE, parts

    def unpack(_: Extra, parts: list[Part]) -> dict[str, Any]:
        patches, todo = [], iter(parts)
        for part in todo:
            rows, values = None, part
            if part.at == SCATTERED:
                rows, values = _index(part.array), next(todo, part)
                _expect(values is not part and values.at == SCATTERED and values.table == part.table, "rows, values")
                _expect(values.array.ndim == 2 and len(values.array) == len(rows), "as many values as rows")
            _expect(values.array.ndim == 2 and values.at >= SCATTERED, "values of shape (rows, width)")
            patches.append(Patch(part.table, part.at, rows, values.array))
        return {"patches": tuple(patches)}

    return _Form(pack, unpack)


def _get() -> _Form:
    def pack(msg: m.Get) -> tuple[Extra, list[Part]]:
        return (msg.table, msg.start, msg.stop, msg.own, 0), [] if msg.rows is None else [Part(0, 0, msg.rows, "rows")]

    def unpack(extra: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) <= 1, "at most one list of rows")
        fields = _range(extra)
        fields["rows"] = _index(parts[0].array) if parts else None
        return fields

    return _Form(pack, unpack)


def _release() -> _Form:
    def unpack(extra: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) == 1 and extra[0] >= 0, "one list of rows of a table")
        return {"table": extra[0], "rows": _index(parts[0].array)}

    return _Form(lambda msg: ((msg.table, 0, 0, 0, 0), [Part(0, 0, msg.rows, "rows")]), unpack)


def _rows() -> _Form:
    def pack(msg: m.Rows) -> tuple[Extra, list[Part]]:
        parts = [] if msg.rows is None else [Part(0, SCATTERED, msg.rows, "rows")]
        exponents = msg.exponents or (None,) * len(msg.values)
        parts += [Part(0, 0, block, "values", e) for block, e in zip(msg.values, exponents, strict=True)]
        return (msg.table, msg.start, msg.stop, msg.own, msg.number), parts

    def unpack(extra: Extra, parts: list[Part]) -> dict[str, Any]:
        rows = _index(parts.pop(0).array) if parts and parts[0].at == SCATTERED else None
        values = tuple([part.array for part in parts])
        n = extra[2] - extra[1] if rows is None else len(rows)
        for block in values:
            _expect(block.ndim == 2, "values of shape (rows, width)")
            n -= len(block)
        _expect(n == 0, "as many values as rows")
        fields = _range(extra)
        fields.update(rows=rows, number=extra[4], values=values)
        return fields

    return _Form(pack, unpack)


def _range(extra: Extra) -> dict[str, Any]:
    table, start, stop, own, _ = extra
    _expect(table >= 0 and 0 <= start <= stop, "rows of a table")
    return {"table": table, "start": start, "stop": stop, "own": own}


def _index(array: Array) -> Array:
    _expect(array.dtype == np.int64 and array.ndim == 1, "a list of rows")
    return array


def _bytes(text: str) -> Part:
    return Part(0, 0, np.frombuffer(text.encode()[:MAX_TEXT], np.uint8))


def _text(part: Part) -> str:
    _expect(part.array.dtype == np.uint8 and part.array.ndim == 1 and part.array.size <= MAX_TEXT, "a text")
    try:
        return part.array.tobytes().decode()
    except UnicodeDecodeError as error:
        raise WireError(f"a text that is not UTF-8: {error}") from None


def _expect(true: bool, what: str) -> None:
    if not true:
        raise WireError(f"expected {what}")


_PROTOCOL: tuple[tuple[type[Message], _Form], ...] = (  # the place in this list is the kind on the wire: only append
    (m.Join, _texts("role", "address", "name", "host", "plan")),
    (m.Roster, _roster()),
    (m.Beat, _nothing()),
    (m.Gather, _array("array")),
    (m.Gathered, _arrays("arrays")),
    (m.Report, _texts("numbers")),
    (m.Finish, _texts("result")),
    (m.Fail, _texts("error")),
    (m.Abort, _texts("reason")),
    (m.Wait, _texts("what")),
    (m.EndClock, _patches()),
    (m.Increments, _patches()),
    (m.Get, _get()),
    (m.Rows, _rows()),
    (m.Ack, _nothing()),
    (m.Nack, _nothing()),
    (m.Done, _nothing()),
    (m.Ask, _nothing()),
    (m.Farewell, _nothing()),
    (m.Mark, _texts("url")),
    (m.Rollback, _texts("reason")),
    (m.Marked, _texts("error")),
    (m.Keeps, _nothing()),
    (m.Retreat, _texts("reason")),
    (m.Hello, _nothing()),
    (m.Standing, _nothing()),
    (m.Release, _release()),
    (m.Refused, _texts("reason")),
)
TYPES = tuple(kind for kind, _ in _PROTOCOL)
KIND = {kind: i for i, kind in enumerate(TYPES)}
_FORMS = tuple(form for _, form in _PROTOCOL)
