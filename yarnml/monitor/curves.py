"""Curves: a run's metrics as lines to draw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, final

import numpy as np

from yarnml.monitor.metric import Metric
from yarnml.monitor.plot import Array
from yarnml.monitor.progress import COUNTERS

Axis = Literal["seconds", "clock", "epoch"]
ASIDE = COUNTERS | {"staleness", "mb"}  # how a run works, not what it has learned


@final
class Curves:
    """What all workers of one run have reported, over seconds since it `started`, clocks or epochs."""

    def __init__(self, metrics: Iterable[Metric], axis: Axis, started: float) -> None:
        self._points: dict[str, dict[int, list[tuple[float, float]]]] = {}  # name -> worker -> (x, y) as they came
        for metric in metrics:
            x = metric.time - started if axis == "seconds" else getattr(metric, axis)
            if x is not None:
                self._points.setdefault(metric.name, {}).setdefault(metric.worker, []).append((x, metric.value))

    def names(self) -> list[str]:
        """Of all metrics, in the order in which they were first reported."""
        return list(self._points)

    def of(self, name: str) -> tuple[Array, Array] | None:
        """x and y of one metric, worker after worker with a nan between; None if it was never reported."""
        workers = self._points.get(name)
        if workers is None:
            return None
        gap = [(np.nan, np.nan)]
        xy = np.array([point for _, points in sorted(workers.items()) for point in [*points, *gap]][:-1])
        return xy[:, 0], xy[:, 1]
