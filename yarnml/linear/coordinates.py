"""Coordinates: the weights of one problem as parameters of a schedule: the worst violators are minimised together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from yarnml.linear.grams import Grams
from yarnml.linear.newton import newton
from yarnml.linear.penalty import Penalty
from yarnml.linear.quadratic import minimum
from yarnml.linear.sums import Slope, Sums
from yarnml.sched import Chosen, Index, ModelParallel, added

F64 = NDArray[np.float64]
MOST, MOST_SMOOTH = 2048, 512  # weights that are minimised by their Gram matrix; more go by Hessian products
FEW = 200  # violators that come in at once, at least
NEAR = 0.9  # of the penalty's slope: weights that may soon leave zero
EXACT = 1e-3  # of the gap that is enough: how well a quadratic is minimised
HALVINGS = 30
IDLE, LITTLE = 3, 1e-4  # rounds in a row that gain so little of the gap that is enough: it ends with what gap it has


@final
class Coordinates(ModelParallel):
    """`w` (d,) and `b` are where it stands; `slope`, `objective` and `gap` are of there."""

    def __init__(
        self,
        sums: Sums,
        squares: F64,
        intercept: bool,
        alive: NDArray[np.bool_],
        idle: NDArray[np.int64],
        keep: Callable[[F64, float], None],
    ) -> None:
        """`squares` (d,): the columns' mean squares; `keep` is told where it stands at the end of each round.

        Its memory: `alive` (d,), which weights may be other than 0, and `idle` (1,), rounds without a gain.
        """
        self._sums, self._squares, self._intercept, self._keep = sums, squares, intercept, keep
        self._alive, self._idle = alive, idle
        self._grams = Grams(lasting=not sums.logistic, most=MOST)
        self.parameters = len(squares)
        self.solved = self.stalled = False

    def begin(self, penalty: Penalty, w: F64, b: float, enough: float) -> None:
        """Turn to another problem, from a point; it is solved where the gap is at most `enough`."""
        self.penalty, self.w, self.b, self._enough = penalty, w, b, enough
        self.stalled, self._gain = False, np.inf
        self._look(self._sums.slope(w, b))

    @property
    def unproven(self) -> bool:
        """It is solved as far as rounds can tell, which gain nothing any more; the gap doesn't say so."""
        return self.solved and self._enough < self.gap < np.inf

    def schedule(self) -> Chosen:
        return Chosen(self.picks)

    def picks(self, number: int) -> Index:
        """Weights that aren't zero or are near to it, and as many of the worst violators.

        Of more than a Gram matrix holds only the worst in every other round: Newton's steps between bring all forward
        together, but are slow to tell which weights are zero.
        """
        if self.penalty.smooth:
            return np.flatnonzero(self._squares)
        w, pull = self.w, np.abs(self.penalty.pull(self.slope, self.w))
        s = np.abs(self.slope.g - self.penalty.l2 * w)
        held = (w != 0) | (self._alive & (s > NEAR * self.penalty.l1) & (pull == 0))
        new = np.flatnonzero(self._alive & (w == 0) & (pull > 0))
        most = max(FEW, 2 * int(np.count_nonzero(w)))
        if len(new) > most:
            worst = pull[new] / np.sqrt(self._squares[new] + self.penalty.l2[new])
            new = new[np.argpartition(-worst, most)[:most]]
        picks = np.union1d(np.flatnonzero(held), new)
        if number % 2 and self._wide(picks):
            worst = pull[picks] / np.sqrt(self._squares[picks] + self.penalty.l2[picks])
            picks = np.sort(picks[np.argpartition(-worst, MOST)[:MOST]])
        return picks

    def update(self, picks: Index) -> F64:
        if self._wide(picks):
            return np.zeros((0, 1))
        columns, old = self._grams.wanted(picks)
        return self._sums.gram(columns, old)

    def aggregate(self, parts: Sequence[F64]) -> F64:
        return added(parts)

    def apply(self, picks: Index, total: F64) -> F64:
        before = self.w
        self._search(self._free(picks) if self._wide(picks) else self._quadratic(picks, total))
        self._keep(self.w, self.b)
        return np.abs(self.w - before)[picks]

    def _wide(self, picks: Index) -> bool:
        return len(picks) > (MOST_SMOOTH if self.penalty.smooth else MOST)

    def _quadratic(self, picks: Index, total: F64) -> Callable[[float], tuple[F64, float]]:
        """The way to the minimum of the quadratic in the picks."""
        columns, _ = self._grams.wanted(picks)
        self._grams.grow(columns, total)
        curve, gb = (self.slope.curve, self.slope.gb) if self._intercept else (0.0, 0.0)
        G, x = self._grams.among(picks, curve)
        share = gb / curve if curve > 0 else 0.0
        q, was = self.slope.g[picks] - x * share, self.w[picks]
        u = minimum(G, q, was, self.penalty.l1[picks], self.penalty.l2[picks], self._enough * EXACT) - was
        ub = share - float(x @ u) / curve if curve > 0 else 0.0
        step = np.zeros(len(self.w))
        step[picks] = u
        return lambda a: (self.w + a * step, self.b + a * ub)

    def _free(self, picks: Index) -> Callable[[float], tuple[F64, float]]:
        """The way along Newton's direction, on which no weight changes its sign."""
        free = np.zeros(len(self.w), np.bool_)
        free[picks] = (self.w[picks] != 0) | (self.penalty.pull(self.slope, self.w)[picks] != 0)
        u, ub = newton(self._sums, self.slope, self.penalty, self.w, free, self._intercept)
        if self.penalty.smooth:
            return lambda a: (self.w + a * u, self.b + a * ub)
        sign = np.where(self.w != 0, np.sign(self.w), np.sign(self.slope.g))

        def at(a: float) -> tuple[F64, float]:
            w = self.w + a * u
            return np.where(w * sign > 0, w, 0.0), self.b + a * ub

        return at

    def _search(self, at: Callable[[float], tuple[F64, float]]) -> None:
        """Go that way as far as P falls: all of it, or half, or a quarter, ..."""
        a = 1.0
        for _ in range(HALVINGS):
            w, b = at(a)
            slope = self._sums.slope(w, b)
            objective = slope.f + self.penalty(w)
            if objective <= self.objective + 1e-13 * abs(self.objective):
                self._gain = self.objective - objective
                self._idle[0] = self._idle[0] + 1 if self._gain <= LITTLE * self._enough else 0
                self.w, self.b = w, b
                self._look(slope)
                return
            a /= 2
        self.stalled = self.solved = True
        self._look(self._sums.slope(self.w, self.b))

    def _look(self, slope: Slope) -> None:
        """What is known at (w, b)."""
        penalty, logistic = self.penalty, self._sums.logistic
        g = np.where(self._squares > 0, slope.g, 0.0)  # of a column that doesn't vary only rounding is left
        gb, curve = (slope.gb, slope.curve) if self._intercept else (0.0, 0.0)
        slope = Slope(slope.f, g, gb, curve)
        self.slope, self.objective = slope, slope.f + penalty(self.w)
        self.gap, c = penalty.gap(slope, self.w, self.b, logistic)
        if not penalty.smooth:
            self._alive &= ~penalty.zero(slope, self.w, self.gap, c, self._squares, logistic)
        left = self.gap if np.isfinite(self.gap) else self._gain
        self.solved = self.stalled or left <= self._enough or self._idle[0] >= IDLE
