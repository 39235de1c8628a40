"""Frames: a message as bytes, and bytes as a message or a `WireError`.

    frame 0       header (76 bytes) | a descriptor (55 bytes) of each array | the buffers of small arrays, aligned
    frames 1...   the buffers of large arrays, each its own, so that none is copied

Nothing is unpickled. Whatever arrives is checked against fixed types and bounded sizes before an array is made of it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from yarnml.wire import forms
from yarnml.wire import message as m
from yarnml.wire.message import Message
from yarnml.wire.parts import DESCRIPTOR, DTYPES, SMALL, Frame, WireError, read, write

__all__ = ["DESCRIPTOR", "DTYPES", "HEADER", "SMALL", "Frame", "WireError", "decode", "encode"]

MAGIC = b"yw"
VERSION = 5
HEADER = struct.Struct("<2sBBIiqQqiqqqQI")  # magic version kind | generation sender clock seq read | extra | arrays


def encode(message: Message) -> list[Frame]:
    """Header and buffers of a message. Large arrays are handed on, not copied, unless they are not contiguous."""
    kind = KIND[type(message)]
    extra, parts = _FORMS[kind].pack(message)
    header = HEADER.pack(
        MAGIC, VERSION, kind, message.generation, message.sender, message.clock, message.seq, message.read,
        *extra, len(parts),
    )  # fmt: skip
    head, large = write(parts, HEADER.size)
    return [b"".join([header, *head]), *large]


def decode(frames: Sequence[Any]) -> Message:
    """The message in `frames` (objects with a buffer). Its arrays are read-only views. Raises `WireError` only."""
    if not frames:
        raise WireError("no frame")
    head = bytes(frames[0])
    if len(head) < HEADER.size:
        raise WireError(f"a header of {len(head)} bytes")
    magic, version, kind, generation, sender, clock, seq, read_, *extra, n = HEADER.unpack_from(head)
    if magic != MAGIC or version != VERSION:
        raise WireError(f"not version {VERSION} of the protocol: {magic!r} {version}")
    if kind >= len(_FORMS):
        raise WireError(f"unknown kind {kind}")
    fields = _FORMS[kind].unpack(tuple(extra), read(head, HEADER.size, n, frames))
    message: Message = TYPES[kind](
        generation=generation, sender=sender, clock=clock, seq=seq, read=read_, **fields
    )  # fmt: skip
    return message


_PROTOCOL: tuple[
    tuple[type[Message], forms.Form], ...
] = (  # the place in this list is the kind on the wire: only append
    (m.Join, forms.texts("role", "address", "name", "host", "plan")),
    (m.Roster, forms.roster()),
    (m.Beat, forms.nothing()),
    (m.Gather, forms.array("array")),
    (m.Gathered, forms.arrays("arrays")),
    (m.Report, forms.texts("numbers")),
    (m.Finish, forms.texts("result")),
    (m.Fail, forms.texts("error")),
    (m.Abort, forms.texts("reason")),
    (m.Wait, forms.texts("what")),
    (m.EndClock, forms.patches()),
    (m.Increments, forms.patches()),
    (m.Get, forms.get()),
    (m.Rows, forms.rows()),
    (m.Ack, forms.nothing()),
    (m.Nack, forms.nothing()),
    (m.Done, forms.nothing()),
    (m.Ask, forms.nothing()),
    (m.Farewell, forms.nothing()),
    (m.Mark, forms.texts("url")),
    (m.Rollback, forms.texts("reason")),
    (m.Marked, forms.texts("error")),
    (m.Keeps, forms.nothing()),
    (m.Retreat, forms.texts("reason")),
    (m.Hello, forms.nothing()),
    (m.Standing, forms.nothing()),
    (m.Release, forms.release()),
    (m.Refused, forms.texts("reason")),
)
TYPES = tuple(kind for kind, _ in _PROTOCOL)
KIND = {kind: i for i, kind in enumerate(TYPES)}
_FORMS = tuple(form for _, form in _PROTOCOL)
