"""Alone: what rounds need of a worker, with nothing behind it. For tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Alone:
    """The only worker, or one of several whose arrays another function brings together."""

    def __init__(
        self, index: int = 0, workers: int = 1, seed: int = 1, gather: Callable[[Any], list[Any]] | None = None
    ) -> None:
        self.index, self.workers, self.seed, self.stop, self.clock_now = index, workers, seed, False, 0
        self.kept: dict[str, np.ndarray[Any, Any]] = {}
        self.meet = gather

    def clock(self) -> None:
        self.clock_now += 1

    def gather(self, x: Any) -> list[np.ndarray[Any, Any]]:
        return [np.asarray(x)] if self.meet is None else self.meet(np.asarray(x))

    def state(self, name: str, init: Any, by: str = "worker") -> np.ndarray[Any, Any]:
        return self.kept.setdefault(name, init() if callable(init) else init.copy())
