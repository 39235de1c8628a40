"""Forms: what each kind of message puts beside its header, five numbers and arrays, and how it is read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from yarnml.wire import message as m
from yarnml.wire.message import Array, Patch
from yarnml.wire.parts import Part, WireError

MAX_TEXT = 1 << 20  # bytes
SCATTERED = -1  # the `at` of a patch whose rows are listed

Extra = tuple[int, int, int, int, int]  # table, start, stop, own, number
NONE: Extra = (0, 0, 0, 0, 0)


class Form(NamedTuple):
    pack: Callable[[Any], tuple[Extra, Sequence[Part]]]
    unpack: Callable[[Extra, list[Part]], dict[str, Any]]


def nothing() -> Form:
    def unpack(_: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(not parts, "no array")
        return {}

    return Form(lambda _: (NONE, ()), unpack)


def texts(*names: str) -> Form:
    def unpack(_: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) == len(names), f"{len(names)} texts")
        return {name: _text(part) for name, part in zip(names, parts, strict=True)}

    return Form(lambda msg: (NONE, [_bytes(getattr(msg, name)) for name in names]), unpack)


def roster() -> Form:
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

    return Form(pack, unpack)


def arrays(name: str) -> Form:
    return Form(
        lambda msg: (NONE, [Part(0, 0, array) for array in getattr(msg, name)]),
        lambda _, parts: {name: tuple(part.array for part in parts)},
    )


def array(name: str) -> Form:
    def unpack(_: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) == 1, "one array")
        return {name: parts[0].array}

    return Form(lambda msg: (NONE, [Part(0, 0, getattr(msg, name))]), unpack)


def patches() -> Form:
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

    return Form(pack, unpack)


def get() -> Form:
    def pack(msg: m.Get) -> tuple[Extra, list[Part]]:
        return (msg.table, msg.start, msg.stop, msg.own, 0), [] if msg.rows is None else [Part(0, 0, msg.rows, "rows")]

    def unpack(extra: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) <= 1, "at most one list of rows")
        fields = _range(extra)
        fields["rows"] = _index(parts[0].array) if parts else None
        return fields

    return Form(pack, unpack)


def release() -> Form:
    def unpack(extra: Extra, parts: list[Part]) -> dict[str, Any]:
        _expect(len(parts) == 1 and extra[0] >= 0, "one list of rows of a table")
        return {"table": extra[0], "rows": _index(parts[0].array)}

    return Form(lambda msg: ((msg.table, 0, 0, 0, 0), [Part(0, 0, msg.rows, "rows")]), unpack)


def rows() -> Form:
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

    return Form(pack, unpack)


def _range(extra: Extra) -> dict[str, Any]:
    table, start, stop, own, _ = extra
    _expect(table >= 0 and 0 <= start <= stop, "rows of a table")
    return {"table": table, "start": start, "stop": stop, "own": own}


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
