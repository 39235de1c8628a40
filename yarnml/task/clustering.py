"""Clustering: rows without a label are put into groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Schema
from yarnml.task.task import Columns, Partial, Task, added, weights


@final
class Clustering(Task):
    """`predict` returns prediction (n,), the group's number, and distance (n,), to its centre (Euclidean)."""

    name = "clustering"
    label = None
    watch = "inertia"

    def partial(self, columns: Columns, y: NDArray[Any] | None, weight: NDArray[np.float32] | None) -> Partial:  # noqa: ARG002
        squared = columns["distance"].astype(np.float64) ** 2
        return {"inertia": np.array([len(squared), squared @ weights(len(squared), weight)])}

    def merge(self, partials: Sequence[Partial]) -> Partial:
        return added(partials)

    def metrics(self, partial: Partial) -> dict[str, float]:
        rows, inertia = partial["inertia"]
        return {"inertia": float(inertia)} if rows else {}

    def table(self, columns: Columns, schema: Schema, top: int | None = None) -> Columns:  # noqa: ARG002
        return dict(columns)
