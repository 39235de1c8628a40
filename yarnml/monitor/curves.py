"""Curves: a run's metrics as lines to draw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, final

import numpy as np

from yarnml.monitor.metric import Metric
from yarnml.monitor.plot import Array
from yarnml.monitor.progress import COUNTERS

Axis = Literal["seconds", "clock", "epoch"]
POINTS = 200  # of a curve at most
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
        """x and y of one metric, each the mean of what all workers said about then; None if it was never reported.

        A point takes as many reports as there are workers, or as POINTS points leave it: batches differ, and a line
        through each would show how much alone.
        """
        workers = self._points.get(name)
        if workers is None:
            return None
        xy = np.array(sorted(point for points in workers.values() for point in points))
        parts = np.array_split(xy, min(POINTS, max(1, len(xy) // len(workers))))
        x, y = np.array([part.mean(axis=0) for part in parts]).T
        return x, y
