"""Forms: what each kind of message puts beside its header, five numbers and arrays, and how it is read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from yarnml.wire import message as m
from yarnml.wire.message import Array, Message, Patch
from yarnml.wire.parts import Part, WireError

MAX_TEXT = 1 << 20  # bytes
SCATTERED = -1  # the `at` of a patch whose rows are listed

Extra = tuple[int, int, int, int, int]  # table, start, stop, own, number
Header = tuple[Any, ...]  # magic, kind, generation, sender, clock, seq, read, the extra, and how many arrays
COMMON, EXTRA = slice(2, 7), slice(7, 12)
NONE: Extra = (0, 0, 0, 0, 0)


class Form(NamedTuple):
    kind: type[Any]
    pack: Callable[[Any], tuple[Extra, Sequence[Part]]]
    unpack: Callable[[Header, list[Part]], Message]


def nothing(kind: type[Any]) -> Form:
    def unpack(header: Header, parts: list[Part]) -> Message:
        _expect(not parts, "no array")
        made: Message = kind(*header[COMMON])
        return made

    return Form(kind, lambda _: (NONE, ()), unpack)


def claim() -> Form:
    def unpack(header: Header, parts: list[Part]) -> Message:
        own = header[EXTRA][0]
        _expect(not parts and own in (0, 1), "whether it is to be one of the sender's own")
        return m.Claim(*header[COMMON], own=bool(own))

    return Form(m.Claim, lambda msg: ((int(msg.own), 0, 0, 0, 0), ()), unpack)


def claimed() -> Form:
    def unpack(header: Header, parts: list[Part]) -> Message:
        owner, number, *_ = header[EXTRA]
        _expect(not parts and owner >= -1 and number >= -1, "a split, or none")
        return m.Claimed(*header[COMMON], owner=owner, number=number)

    return Form(m.Claimed, lambda msg: ((msg.owner, msg.number, 0, 0, 0), ()), unpack)


def texts(kind: type[Any], *names: str) -> Form:
    def unpack(header: Header, parts: list[Part]) -> Message:
        _expect(len(parts) == len(names), f"{len(names)} texts")
        made: Message = kind(*header[COMMON], **{name: _text(part) for name, part in zip(names, parts, strict=True)})
        return made

    return Form(kind, lambda msg: (NONE, [_bytes(getattr(msg, name)) for name in names]), unpack)


def roster() -> Form:
    def pack(msg: m.Roster) -> tuple[Extra, list[Part]]:
        return (0, msg.index, int(msg.going), msg.incarnation, msg.rounds), [
            _bytes(text) for text in (msg.checkpoint, *msg.servers)
        ]

    def unpack(header: Header, parts: list[Part]) -> Message:
        _, index, going, incarnation, rounds = header[EXTRA]
        _expect(bool(parts) and going in (0, 1), "a checkpoint, and whether the run goes on")
        checkpoint, *servers = (_text(part) for part in parts)
        return m.Roster(
            *header[COMMON], servers=tuple(servers), index=index, going=bool(going), incarnation=incarnation,
            rounds=rounds, checkpoint=checkpoint,
        )  # fmt: skip

    return Form(m.Roster, pack, unpack)


def arrays(kind: type[Any], name: str) -> Form:
    def unpack(header: Header, parts: list[Part]) -> Message:
        made: Message = kind(*header[COMMON], **{name: tuple(part.array for part in parts)})
        return made

    return Form(kind, lambda msg: (NONE, [Part(0, 0, array) for array in getattr(msg, name)]), unpack)


def array(kind: type[Any], name: str) -> Form:
    def unpack(header: Header, parts: list[Part]) -> Message:
        _expect(len(parts) == 1, "one array")
        made: Message = kind(*header[COMMON], **{name: parts[0].array})
        return made

    return Form(kind, lambda msg: (NONE, [Part(0, 0, getattr(msg, name))]), unpack)


def patches(kind: type[Any]) -> Form:
    def pack(msg: m.EndClock | m.Increments) -> tuple[Extra, list[Part]]:
        parts = []
        for p in msg.patches:
            if p.rows is not None:
                parts.append(Part(p.table, SCATTERED, p.rows, "rows"))
            at = SCATTERED if p.rows is not None else p.start
            parts.append(Part(p.table, at, p.values, "values", p.exponent))
        return NONE, parts

    def unpack(header: Header, parts: list[Part]) -> Message:
        patches, todo = [], iter(parts)
        for part in todo:
            rows, values = None, part
            if part.at == SCATTERED:
                rows, values = _index(part.array), next(todo, part)
                _expect(values is not part and values.at == SCATTERED and values.table == part.table, "rows, values")
                _expect(values.array.ndim == 2 and len(values.array) == len(rows), "as many values as rows")
            _expect(values.array.ndim == 2 and values.at >= SCATTERED, "values of shape (rows, width)")
            patches.append(Patch(part.table, part.at, rows, values.array))
        made: Message = kind(*header[COMMON], patches=tuple(patches))
        return made

    return Form(kind, pack, unpack)


def get() -> Form:
    def pack(msg: m.Get) -> tuple[Extra, Sequence[Part]]:
        return (msg.table, msg.start, msg.stop, msg.own, 0), () if msg.rows is None else [Part(0, 0, msg.rows, "rows")]

    def unpack(header: Header, parts: list[Part]) -> Message:
        _, _, generation, sender, clock, seq, read, table, start, stop, own, _, n = header
        if n > 1 or table < 0 or not 0 <= start <= stop:
            raise WireError("expected rows of a table, at most in one list")
        rows = _index(parts[0].array) if n else None
        return m.Get(generation, sender, clock, seq, read, table, start, stop, rows, own)

    return Form(m.Get, pack, unpack)


def release() -> Form:
    def unpack(header: Header, parts: list[Part]) -> Message:
        table = header[EXTRA][0]
        _expect(len(parts) == 1 and table >= 0, "one list of rows of a table")
        return m.Release(*header[COMMON], table=table, rows=_index(parts[0].array))

    return Form(m.Release, lambda msg: ((msg.table, 0, 0, 0, 0), [Part(0, 0, msg.rows, "rows")]), unpack)


def rows() -> Form:
    def pack(msg: m.Rows) -> tuple[Extra, list[Part]]:
        parts = [] if msg.rows is None else [Part(0, SCATTERED, msg.rows, "rows")]
        if msg.exponents:
            parts += [Part(0, 0, block, "values", e) for block, e in zip(msg.values, msg.exponents, strict=True)]
        else:
            parts += [Part(0, 0, block, "values") for block in msg.values]
        return (msg.table, msg.start, msg.stop, msg.own, msg.number), parts

    def unpack(header: Header, parts: list[Part]) -> Message:
        _, _, generation, sender, clock, seq, read, table, start, stop, own, number, _ = header
        if table < 0 or not 0 <= start <= stop:
            raise WireError("expected rows of a table")
        rows, n = None, stop - start
        if parts and parts[0].at == SCATTERED:
            rows = _index(parts.pop(0).array)
            n = len(rows)
        values = tuple([part.array for part in parts])
        for block in values:
            if block.ndim != 2:
                raise WireError("expected values of shape (rows, width)")
            n -= len(block)
        if n:
            raise WireError("expected as many values as rows")
        return m.Rows(generation, sender, clock, seq, read, table, start, stop, rows, own, number, values)

    return Form(m.Rows, pack, unpack)


def _index(array: Array) -> Array:
    _expect(array.dtype == np.int64 and array.ndim == 1, "a list of rows")
    return array


def _bytes(text: str) -> Part:
    data = text.encode(errors="backslashreplace")  # a file name that is no Unicode must not hide the error
    if len(data) > MAX_TEXT:  # cut between letters
        data = data[:MAX_TEXT].decode(errors="ignore").encode()
    return Part(0, 0, np.frombuffer(data, np.uint8))


def _text(part: Part) -> str:
    _expect(part.array.dtype == np.uint8 and part.array.ndim == 1 and part.array.size <= MAX_TEXT, "a text")
    try:
        return part.array.tobytes().decode()
    except UnicodeDecodeError as error:
        raise WireError(f"a text that is not UTF-8: {error}") from None


def _expect(true: bool, what: str) -> None:
    if not true:
        raise WireError(f"expected {what}")
