"""Columns: how features are shifted and scaled, decided from the data of all workers before training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR
from yarnml.app.worker import Worker
from yarnml.kernels.moments import moments
from yarnml.kernels.sparse import largest

F64 = NDArray[np.float64]
CONSTANT = 1e-12  # of a column's mean square: a variance below is rounding
WILD = 1e6  # a spread so far from 1 is worth a remark


@final
@dataclass(frozen=True)
class Scale:
    """x = (raw - shift) * inverse, for each of d features; a constant one has inverse 0 and drops out."""

    shift: F64  # (d,)
    inverse: F64  # (d,), 1 / spread

    @classmethod
    def of(cls, rows: F64) -> Self:
        """Out of the table that holds it: (d + 1, 2), the last row unused."""
        return cls(rows[:-1, 0], rows[:-1, 1])

    @classmethod
    def none(cls, width: int) -> Self:
        """Of features that are to stay as they are."""
        return cls(np.zeros(width), np.ones(width))

    def rows(self) -> F64:
        return np.vstack([np.stack([self.shift, self.inverse], axis=1), np.zeros((1, 2))])

    def apply(self, X: NDArray[np.float32] | CSR) -> NDArray[np.float32] | CSR:
        """The scaled features of rows, as a copy."""
        if isinstance(X, CSR):
            assert not self.shift.any(), "what is 0 in sparse rows stays so"
            return CSR(X.indptr, X.indices, X.values * self.inverse.astype(np.float32)[X.indices], X.width)
        return (X - self.shift.astype(np.float32)) * self.inverse.astype(np.float32)

    def at(self, columns: NDArray[np.int64] | None) -> Scale:
        """For the features of a batch that touches few of them."""
        return self if columns is None else Scale(self.shift[columns[:-1]], self.inverse[columns[:-1]])

    def fold(self, W: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights V (d, K) and biases c (K,) that do to raw features what W (d + 1, K) does to scaled ones."""
        V = W[:-1] * self.inverse[:, None]
        return V.astype(np.float32), (W[-1] - self.shift @ V).astype(np.float32)

    def unfold(self, V: NDArray[Any], c: NDArray[Any]) -> F64:
        """W (d + 1, K) whose fold is V (d, K), c (K,), but for features that drop out."""
        found: F64 = np.divide(V, self.inverse[:, None], out=np.zeros(V.shape), where=self.inverse[:, None] > 0)
        return np.vstack([found, c + self.shift @ V])


def measure(me: Worker) -> Scale:
    """The scale of the features over all workers' rows, the same for each."""
    if me.schema.sparse:
        top = np.zeros(me.schema.width)
        for rows in me.share.chunks():
            assert isinstance(rows.X, CSR)
            largest(rows.X.indices, rows.X.values, top)
        shift, spread = np.zeros(len(top)), np.max(me.gather(top), axis=0)
    else:
        parts = [part for rows in me.share.chunks() for part in _moments(me, rows.X)]
        total, squares = me.sum(sum(parts[1:], parts[0])) / max(1, me.rows)
        variance = squares - total * total
        spread = np.sqrt(np.where(variance > CONSTANT * squares, variance, 0.0))
        shift = total
    _remark(me, spread)
    return Scale(shift, np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0))


def _moments(me: Worker, X: NDArray[np.float32] | CSR) -> list[F64]:
    assert not isinstance(X, CSR)
    return me.crew.each(lambda lo, hi: moments(X[lo:hi]), len(X), least=4096)


def _remark(me: Worker, spread: F64) -> None:
    wild = np.flatnonzero((spread > WILD) | ((spread > 0) & (spread < 1 / WILD))).tolist()
    if wild:
        names = ", ".join(map(me.schema.name, wild[:5]))
        more = f" and {len(wild) - 5} more" if len(wild) > 5 else ""
        me.note(f"columns of unusual scale, scaled for training, raw in the model: {names}{more}")
