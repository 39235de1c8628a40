"""Share: a worker's training rows in its own order, cut into batches without copying."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Rows
from yarnml.app.batch import Batch
from yarnml.app.plan import Plan

WIDE = 4096  # features from which it pays to ask a table only for the rows that a batch touches


@final
class Share:
    """The rows behind `Worker.batches`. Each piece of a plan is cut once and used again in every pass."""

    def __init__(self, rows: Rows, plan: Plan) -> None:
        self.rows = _taken(rows, plan.shuffle()) if plan.steps > 1 else rows
        self._plan = plan
        self._cuts: dict[int, tuple[Any, NDArray[np.int64] | None]] = {}

    def batch(self, epoch: int, step: int, number: int) -> Batch:
        """Piece `number` of the plan, taken at clock `step` of pass `epoch`."""
        at = self._plan.piece(number)
        if number not in self._cuts:
            self._cuts[number] = _cut(self.rows.X, at)
        X, columns = self._cuts[number]
        y = None if self.rows.y is None else self.rows.y[at]
        weight = None if self.rows.weight is None else self.rows.weight[at]
        rows = self._plan.rows / self._plan.steps
        return Batch(X, y, weight, columns, at.start, rows, epoch, step, self._plan.steps)


def _taken(rows: Rows, order: NDArray[np.int64]) -> Rows:
    """The rows in another order; numpy's `take` copies dense ones three times as fast as `X[order]`."""

    def taken(array: Any) -> Any:
        return None if array is None else np.take(array, order, axis=0)

    X = rows.X.take(order) if isinstance(rows.X, CSR) else taken(rows.X)
    return Rows(X, taken(rows.y), taken(rows.weight), taken(rows.id), taken(rows.number), rows.dropped)


def _cut(X: NDArray[np.float32] | CSR, at: slice) -> tuple[NDArray[np.float32] | CSR, NDArray[np.int64] | None]:
    """The rows `at`, and the table rows they touch where those are far fewer than all."""
    if not isinstance(X, CSR):
        return X[at], None
    part = X.slice(at.start, at.stop)
    if X.width < WIDE:
        return part, None
    used = part.columns()
    if 2 * len(used) > X.width:
        return part, None
    place = np.empty(X.width, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return CSR(part.indptr, place[part.indices], part.values, len(used)), np.append(used, X.width)
