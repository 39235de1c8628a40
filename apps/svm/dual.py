"""Dual: what one worker knows of the dual of one class against the rest: its rows' variables, and which still move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Rows
from yarnml.kernels.crew import Crew
from yarnml.kernels.sparse import squares

from .kernels import DROPPED, LEFT_OUT, MOVES, measure, shuffle, sweep

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I8 = NDArray[np.int8]
BLOCK = 1024  # rows that are shuffled together
NEAR = 0.1  # to a margin of 1
NOWHERE, NOTHING = np.zeros(1, np.int64), np.zeros(0, np.int32)
# momentum of the pass that runs; gradients beyond which it drops a row at its bound; f and the gap, as a part of it, as
# they were measured last
NOW = np.dtype([(name, np.float64) for name in ("beta", "high", "low", "objective", "gap")])
BEGUN = np.array((0.0, np.inf, -np.inf, 0.0, np.inf), NOW)


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

    @cached_property
    def D(self) -> F64:
        """(n,), 0 where a row weighs nothing."""
        n = len(self)
        return (
            np.divide(0.5, self.cap.astype(np.float64), out=np.zeros(n), where=self.cap > 0)
            if self.squared
            else np.zeros(n)
        )

    def traits(self) -> F64:
        """Numbers that add up over workers, and are hardly the same of another problem."""
        at = np.linspace(1, 2, len(self))
        each = (self.cap, self.cap * at, self.squares, self.squares * at, self.y * at)
        return np.array([self.squared, self.bias, *(np.sum(x, dtype=np.float64) for x in each)])

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
    """Rows that lie firmly at a bound are left out of passes (shrinking) until `measure` finds that they moved.

    All that it knows is in arrays that are handed in and changed in place: its rows', and `now`, as on all workers.
    """

    def __init__(
        self, problem: Problem, positive: int, alpha: F64, before: F64, slope: F32, moves: I8, now: Any
    ) -> None:
        """Rows whose class is `positive` are told from all others.

        Of each row, (n,): alpha; that as the last pass found it; the projected gradient then; whether it is in passes
        (kernels.py). `now` is one record, (), of NOW.
        """
        self.problem, self.positive, self.now = problem, positive, now
        self.alpha, self._before, self._slope, self._moves = alpha, before, slope, moves
        self.done = False  # it is as near to its optimum as asked for
        self._order = NOTHING  # of the rows that move, in the pass which runs

    def guess(self, w: F64) -> None:
        """Set alpha to what the weights w (d + 1,) of a model tell of it.

        At an optimum alpha_i is U_i where a row's margin is below 1 and 0 where it is above it, or, with the L2 loss,
        2 U_i (1 - margin). Under the L1 loss rows with a margin near 1 may have any: they are to be passed over first.
        """
        p = self.problem
        short = 1 - p.margins(self.positive, w)
        self.alpha[:] = p.cap * (2 * np.maximum(short, 0) if p.squared else np.clip(0.5 + short / (2 * NEAR), 0, 1))

    def renew(self) -> None:
        """Begin anew from alpha, of this problem or another: it is brought into its bounds, rows at none move first."""
        p = self.problem
        most = np.where(p.cap > 0, np.inf, 0) if p.squared else p.cap
        np.clip(self.alpha, 0, most, out=self.alpha)
        self._before[:], self._slope[:], self.now[()] = self.alpha, 0, BEGUN
        self._moves[:] = np.where((self.alpha > 0) & (self.alpha < most), MOVES, LEFT_OUT)

    def weights(self) -> F64:
        """These rows' part of w (d + 1,)."""
        return self.problem.weights(self.positive, self.alpha)

    def shuffle(self, seed: int) -> None:
        """A pass begins, or is gone on with in its middle, in the order that `seed` says."""
        self._order = np.flatnonzero(self._moves).astype(np.int32)
        shuffle(self._order, BLOCK, seed)

    def sweep(self, w: F64, turn: int, turns: int, sigma: float) -> None:
        """Do one of the turns of a pass, from and to the weights w (d + 1,), changed in place."""
        n, p = len(self._order), self.problem
        beta, high, low = (float(self.now[name]) for name in ("beta", "high", "low"))
        some = self._order[n * turn // turns : n * (turn + 1) // turns]
        sweep(
            *p.matrix, p.bias, p.y, self.positive, p.squares, p.cap, p.squared, sigma, beta, high, low,
            self.alpha, self._before, self._slope, self._moves, w, some,
        )  # fmt: skip

    def end(self) -> tuple[float, float, float]:
        """A pass is over: rows that it dropped are left out of the next.

        Returns sum_i alpha_i - D_i alpha_i^2 / 2, the largest and the least projected gradient of rows that move.
        """
        self._moves[self._moves == DROPPED] = LEFT_OUT
        slopes = self._slope[self._moves == MOVES]
        gain = self.alpha.sum() - (self.problem.D * self.alpha**2).sum() / 2
        return float(gain), float(slopes.max(initial=-np.inf)), float(slopes.min(initial=np.inf))

    def bound(self, top: float, bottom: float) -> None:
        """The next pass drops rows by what the last one has seen of all workers' [Hsieh et al. 2008, section 3.3]."""
        self.now["high"] = top if top > 0 else np.inf
        self.now["low"] = bottom if bottom < 0 else -np.inf

    def measure(self, w: F64, crew: Crew) -> tuple[float, float]:
        """This worker's parts of the primal and the dual, without |w|^2 / 2; the rows that still move are renewed."""
        p, high, low = self.problem, float(self.now["high"]), float(self.now["low"])

        def part(lo: int, hi: int) -> tuple[float, float]:
            return measure(  # type: ignore[no-any-return]
                *p.matrix, p.bias, p.y, self.positive, p.cap, p.squared, high, low, self.alpha, self._before,
                self._moves, w, lo, hi,
            )  # fmt: skip

        parts = crew.each(part, len(p))
        return sum(each[0] for each in parts), sum(each[1] for each in parts)
