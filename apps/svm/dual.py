"""Dual: what one worker knows of the dual of one class against the rest: its rows' variables, and which still move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Rows
from yarnml.kernels.crew import Crew
from yarnml.kernels.sparse import squares

from .kernels import measure, shuffle, sweep

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
BLOCK = 1024  # rows that are shuffled together
NEAR = 0.1  # to a margin of 1
NOWHERE, NOTHING = np.zeros(1, np.int64), np.zeros(0, np.int32)


@final
@dataclass(frozen=True, eq=False)
class Problem:
    """A worker's rows as the kernels take them, the same for all classes."""

    X: F32 | CSR
    bias: float  # every row's last feature
    y: NDArray[np.int32]
    squares: F32  # (n,) |x_i|^2
    cap: F32  # (n,) U_i
    squared: bool  # the L2 loss

    @classmethod
    def of(cls, rows: Rows, C: float, bias: float, squared: bool) -> Problem:
        n, X = len(rows), rows.X
        lengths = np.empty(n, np.float32)
        if isinstance(X, CSR):
            squares(X.indptr, X.values, lengths)
        else:
            np.einsum("nd,nd->n", X, X, out=lengths)
        assert rows.y is not None
        weight = np.ones(n, np.float32) if rows.weight is None else rows.weight
        cap = (C * weight).astype(np.float32)
        return cls(X, bias, rows.y.astype(np.int32, copy=False), lengths + np.float32(bias * bias), cap, squared)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def matrix(self) -> tuple[Any, Any, Any]:
        """indptr, indices, values; of dense rows the last alone counts."""
        X = self.X
        return (X.indptr, X.indices, X.values) if isinstance(X, CSR) else (NOWHERE, NOTHING, X)

    def margins(self, positive: int, w: F64) -> F64:
        """y_i w' x_i, (n,)."""
        scores = self._features() @ w[:-1] + self.bias * w[-1]
        signed: F64 = np.where(self.y == positive, scores, -scores)
        return signed

    def weights(self, positive: int, alpha: F64) -> F64:
        """sum_i y_i alpha_i x_i, (d + 1,)."""
        r = np.where(self.y == positive, alpha, -alpha)
        return np.append(self._features().T @ r, self.bias * r.sum())

    def _features(self) -> Any:
        return self.X.to_scipy() if isinstance(self.X, CSR) else self.X


@final
class Dual:
    """Rows that lie firmly at a bound are left out of passes (shrinking) until `measure` finds that they moved."""

    def __init__(self, problem: Problem, positive: int, alpha: F64) -> None:
        """`alpha` (n,) is changed in place; rows whose class is `positive` are told from all others."""
        self.problem, self.positive, self.alpha = problem, positive, alpha
        self.done = False  # it is as near to its optimum as asked for
        self.objective, self.gap = 0.0, 1.0  # of all workers, as they were measured last; the gap as a part of it
        self.gain = self._gain()  # of these rows, sum_i alpha_i - D_i alpha_i^2 / 2
        between = (alpha > 0) & (alpha < (np.inf if problem.squared else problem.cap))
        self._before = alpha.copy()  # as the last pass found it
        self._beta = 0.0
        self._order = np.flatnonzero(between).astype(np.int32)  # the rows that still move; at first those at no bound
        self._kept: list[NDArray[np.int32]] = []  # those that the pass which runs has found to do so
        self._high, self._low = np.inf, -np.inf  # gradients beyond which a row at its bound is dropped
        self._top, self._bottom = -np.inf, np.inf  # projected gradients in this pass

    def guess(self, w: F64) -> None:
        """Set alpha to what the weights w (d + 1,) of a model tell of it.

        At an optimum alpha_i is U_i where a row's margin is below 1 and 0 where it is above it, or, with the L2 loss,
        2 U_i (1 - margin). Under the L1 loss rows with a margin near 1 may have any: they are to be passed over first.
        """
        p = self.problem
        short = 1 - p.margins(self.positive, w)
        self.alpha[:] = p.cap * (2 * np.maximum(short, 0) if p.squared else np.clip(0.5 + short / (2 * NEAR), 0, 1))

    def weights(self) -> F64:
        """These rows' part of w (d + 1,)."""
        return self.problem.weights(self.positive, self.alpha)

    def begin(self, turn: int, turns: int, beta: float, seed: int) -> None:
        """A pass begins; with a `turn` above 0 in its middle, as after a recovery."""
        shuffle(self._order, BLOCK, seed)
        self._kept = [self._order[: len(self._order) * turn // turns]]
        self._beta = beta

    def sweep(self, w: F64, turn: int, turns: int, sigma: float) -> None:
        """Do one of the turns of a pass, from and to the weights w (d + 1,), changed in place."""
        n, p = len(self._order), self.problem
        some = self._order[n * turn // turns : n * (turn + 1) // turns]
        kept, top, bottom, gain = sweep(
            *p.matrix, p.bias, p.y, self.positive, p.squares, p.cap, p.squared, sigma, self._beta, self._high,
            self._low, self.alpha, self._before, w, some,
        )  # fmt: skip
        self._kept.append(some[:kept])
        self._top, self._bottom, self.gain = max(self._top, top), min(self._bottom, bottom), self.gain + gain
        if turn + 1 == turns:
            self._end()

    def _end(self) -> None:
        """The next pass drops rows by what this one has seen [Hsieh et al. 2008, section 3.3]."""
        self._order, self._kept = np.concatenate(self._kept), []
        self._high = self._top if self._top > 0 else np.inf
        self._low = self._bottom if self._bottom < 0 else -np.inf
        self._top, self._bottom = -np.inf, np.inf

    def measure(self, w: F64, crew: Crew) -> tuple[float, float]:
        """This worker's parts of the primal and the dual, without |w|^2 / 2; the rows that still move are renewed."""
        p, kept = self.problem, np.empty(len(self.problem), np.int32)

        def part(lo: int, hi: int) -> tuple[NDArray[np.int32], float, float]:
            some = kept[lo:hi]
            found, loss, gain = measure(
                *p.matrix, p.bias, p.y, self.positive, p.cap, p.squared, self._high, self._low, self.alpha,
                self._before, w, lo, hi, some,
            )  # fmt: skip
            return some[:found], loss, gain

        parts = crew.each(part, len(p))
        self._order = np.concatenate([each[0] for each in parts])
        return sum(each[1] for each in parts), sum(each[2] for each in parts)

    def _gain(self) -> float:
        p, a = self.problem, self.alpha
        D = np.divide(0.5, p.cap, out=np.zeros(len(a)), where=p.cap > 0) if p.squared else np.zeros(len(a))
        return float(a.sum() - D @ (a * a) / 2)
