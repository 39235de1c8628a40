"""Seen: what a function's state was when one worker last read the rows that it now adds to."""

from __future__ import annotations

from typing import Any, final

import numpy.typing as npt

from yarnml.ps.functions import Assign
from yarnml.ps.functions.function import Where
from yarnml.ps.keys import Key
from yarnml.ps.patches import merge, overlay
from yarnml.wire.message import Patch

Array = npt.NDArray[Any]


@final
class Seen:
    """One worker's readings of one table within one clock, at one server."""

    def __init__(self) -> None:
        self._readings: list[Patch] = []  # in their order

    def note(self, where: Where, state: Array) -> None:
        """The worker is sent rows, whose state is `state` (n, width)."""
        if isinstance(where, slice):
            self._readings.append(Patch(0, where.start, None, state))
        else:
            self._readings.append(Patch(0, -1, where, state))

    def at(self, where: Where, now: Array) -> Array:
        """The state of these rows as the worker last saw it; `now` where it didn't, which is changed in place."""
        self._readings = merge(Assign(), self._readings)
        rows = Key(where.start, where.stop) if isinstance(where, slice) else Key(0, 0, where)
        overlay(Assign(), now, rows, self._readings)
        return now
