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

VERSION = 5
MAGIC = b"yw" + bytes([VERSION])
HEADER = struct.Struct("<3sBIiqQqiqqqQI")  # magic kind | generation sender clock seq read | extra | arrays


def encode(message: Message) -> list[Frame]:
    """Header and buffers of a message. Large arrays are handed on, not copied, unless they are not contiguous."""
    kind, pack = _PACKS[message.__class__]
    extra, parts = pack(message)
    header = HEADER.pack(
        MAGIC, kind, message.generation, message.sender, message.clock, message.seq, message.read, *extra, len(parts)
    )
    return write(header, parts) if parts else [header]


def decode(frames: Sequence[Any]) -> Message:
    """The message in `frames` (objects with a buffer). Its arrays are read-only views. Raises `WireError` only."""
    if not frames:
        raise WireError("no frame")
    head = bytes(frames[0])
    if len(head) < HEADER.size:
        raise WireError(f"a header of {len(head)} bytes")
    header = HEADER.unpack_from(head)
    if header[0] != MAGIC:
        raise WireError(f"not version {VERSION} of the protocol: {header[0]!r}")
    kind: int = header[1]
    if kind >= len(_UNPACKS):
        raise WireError(f"unknown kind {kind}")
    return _UNPACKS[kind](header, read(head, HEADER.size, header[-1], frames))


_PROTOCOL = (  # the place in this list is the kind on the wire: only append
    forms.texts(m.Join, "role", "address", "name", "host", "plan"),
    forms.roster(),
    forms.nothing(m.Beat),
    forms.array(m.Gather, "array"),
    forms.arrays(m.Gathered, "arrays"),
    forms.texts(m.Report, "numbers"),
    forms.texts(m.Finish, "result"),
    forms.texts(m.Fail, "error"),
    forms.texts(m.Abort, "reason"),
    forms.texts(m.Wait, "what"),
    forms.patches(m.EndClock),
    forms.patches(m.Increments),
    forms.get(),
    forms.rows(),
    forms.nothing(m.Ack),
    forms.nothing(m.Nack),
    forms.nothing(m.Done),
    forms.nothing(m.Ask),
    forms.nothing(m.Farewell),
    forms.texts(m.Mark, "url"),
    forms.texts(m.Rollback, "reason"),
    forms.texts(m.Marked, "error"),
    forms.nothing(m.Keeps),
    forms.texts(m.Retreat, "reason"),
    forms.nothing(m.Hello),
    forms.nothing(m.Standing),
    forms.release(),
    forms.texts(m.Refused, "reason"),
    forms.claim(),
    forms.claimed(),
)
_PACKS = {form.kind: (number, form.pack) for number, form in enumerate(_PROTOCOL)}
_UNPACKS = [form.unpack for form in _PROTOCOL]
