"""Regression: a number is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema
from yarnml.task.task import Columns, Partial, Task, added, weights


@final
class Regression(Task):
    """`predict` returns prediction (n,)."""

    name = "regression"
    label = "number"
    watch = "rmse"

    def partial(self, columns: Columns, y: NDArray[Any] | None, weight: NDArray[np.float32] | None) -> Partial:
        assert y is not None, "metrics need labels"
        y, w = y.astype(np.float64), weights(len(y), weight)
        error = columns["prediction"].astype(np.float64) - y
        return {"sums": np.array([w.sum(), w @ error**2, w @ abs(error), w @ y, w @ y**2])}

    def merge(self, partials: Sequence[Partial]) -> Partial:
        return added(partials)

    def metrics(self, partial: Partial) -> dict[str, float]:
        weight, squared, absolute, y, y2 = partial["sums"]
        if weight == 0:
            return {}
        spread = y2 - y * y / weight
        found = {"rmse": float(np.sqrt(squared / weight)), "mae": float(absolute / weight)}
        return found | ({"r2": float(1 - squared / spread)} if spread > 0 else {})

    def table(self, columns: Columns, schema: Schema, top: int | None = None) -> Columns:  # noqa: ARG002
        return dict(columns)
