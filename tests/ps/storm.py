"""A storm: random and mutated messages, as bytes, of all shapes that a broken or hostile peer may think of."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import Any

import numpy as np

from tests.wire.test_frames import bytes_of, mutate
from yarnml.comm.company import FOREVER
from yarnml.ps import AdaRevision, TableSpec
from yarnml.wire import message as m

SPECS = [
    TableSpec("exact", (30, 2), staleness=0),
    TableSpec("loose", (200, 8), staleness=1),
    TableSpec("free", (12, 3), dtype="int32", staleness=None),
    TableSpec("late", (20, 2), dtype="float64", staleness=2, function=AdaRevision(0.1)),
    TableSpec("coarse", (40, 16), staleness=1, wire="float16"),
]
INTS = [-(1 << 63), -(1 << 31), -2, -1, 0, 1, 2, 3, 7, 11, 12, 30, 200, 1 << 16, 1 << 31, FOREVER, (1 << 63) - 1]
DTYPES = ["float32", "float64", "int32", "int64", "bool", "float16", "uint8"]
ANY: tuple[Any, ...] = (
    m.EndClock, m.Increments, m.Get, m.Release, m.Ask, m.Done, m.Farewell, m.Hello, m.Rows, m.Ack, m.Nack, m.Standing,
    m.Beat, m.Fail, m.Gather, m.Refused,
)  # fmt: skip


class Storm:
    """Messages by chance; `near`: the header's numbers that a real peer would use now."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        self.near: dict[str, int] = {}

    def frames(self) -> list[bytes]:
        """One message's frames, perhaps none's."""
        what = self._rng.random()
        if what < 0.05:
            return [self._rng.randbytes(self._rng.randrange(300)) for _ in range(self._rng.randrange(3))]
        whole = bytes_of(self._message())
        return mutate(self._rng, whole) if what < 0.6 else whole

    def _message(self) -> Any:
        kind = self._rng.choice(ANY)
        head = {f.name: self._int(f.name) for f in fields(m.Message)}
        if kind is m.Refused:  # whoever sent that number is meant to give up
            head["seq"] = self._rng.choice(INTS)
        head["seq"] &= (1 << 64) - 1
        head["generation"] = self._rng.choice([0, 0, 0, 0, 1, (1 << 32) - 1])
        head["sender"] = self._rng.choice([0, 0, 0, 0, 1, 2, -1])
        own = {f.name: self._field(f.name) for f in fields(kind) if f.name not in head}
        if kind is m.Release:
            own["rows"] = self._rows(3)
        return kind(**head, **own)

    def _field(self, name: str) -> Any:
        match name:
            case "patches":
                return tuple(self._patch() for _ in range(self._rng.randrange(3)))
            case "values":
                return tuple(self._values(self._rng.randrange(5)) for _ in range(self._rng.randrange(3)))
            case "rows":
                return (
                    self._rng.choice([None, self._rows(self._rng.randrange(6))]) if self._rng.random() < 0.8 else None
                )
            case "array":
                return self._values(2)
            case "table":
                return self._rng.choice([-1, 0, 0, 1, 1, 2, 3, 4, 5, 1 << 16, (1 << 31) - 1])
            case "number":
                return self._rng.choice([0, 1, 2, 3, 1 << 62])
            case "exponents":
                return ()
            case "error" | "reason":
                return "".join(self._rng.choices("aß€", k=3))
            case _:
                return self._rng.choice(INTS) if self._rng.random() < 0.2 else self._rng.randrange(12)

    def _patch(self) -> m.Patch:
        n = self._rng.randrange(4)
        rows = self._rows(n) if self._rng.random() < 0.5 else None
        start = -1 if rows is not None else self._rng.randrange(14)
        return m.Patch(self._rng.randrange(6), start, rows, self._values(n))

    def _rows(self, n: int) -> Any:
        rows = np.array([self._rng.choice([*INTS, *range(12)]) for _ in range(n)], np.int64)
        if self._rng.random() < 0.1:  # long enough to be packed
            rows = np.arange(self._rng.randrange(200)) * self._rng.randrange(1, 400)
        return np.unique(rows) if self._rng.random() < 0.7 else rows

    def _values(self, n: int) -> Any:
        spec = self._rng.choice(SPECS)
        dtype = spec.dtype if self._rng.random() < 0.8 else self._rng.choice(DTYPES)
        width = spec.width if self._rng.random() < 0.8 else self._rng.randrange(40)
        values = self._numbers.normal(size=(n if self._rng.random() < 0.9 else 100, width)) * 10
        return np.where(self._numbers.random(values.shape) < self._rng.choice([0.1, 1]), values, 0).astype(dtype)

    def _int(self, name: str) -> int:
        if name in self.near and self._rng.random() < 0.8:
            return self.near[name]
        return self._rng.choice(INTS) if self._rng.random() < 0.3 else self._rng.randrange(4)
