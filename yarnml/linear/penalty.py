"""Penalty: what large weights cost, how far from its minimum a model is at most, which weights must be zero there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from yarnml.linear.sums import Slope

F64 = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Penalty:
    """sum_j l1_j |w_j| + l2_j w_j^2 / 2."""

    l1: F64  # (d,)
    l2: F64  # (d,)

    @classmethod
    def of(cls, lam: float, ratio: float, spread: F64) -> Self:
        """lam (ratio |v|_1 + (1 - ratio)/2 |v|^2) of the weights v_j = spread_j w_j of columns scaled to spread 1."""
        return cls(lam * ratio * spread, lam * (1 - ratio) * spread**2)

    @property
    def smooth(self) -> bool:
        return not self.l1.any()

    def __call__(self, w: F64) -> float:
        return float(self.l1 @ np.abs(w) + self.l2 @ (w * w) / 2)

    def pull(self, slope: Slope, w: F64) -> F64:
        """(d,) how steeply P falls along each weight, at most; all zero at the minimum."""
        s = slope.g - self.l2 * w
        return np.where(w != 0, s - self.l1 * np.sign(w), np.sign(s) * np.maximum(np.abs(s) - self.l1, 0))

    def gap(self, slope: Slope, w: F64, b: float, logistic: bool) -> tuple[float, float]:
        """(P - D, c): P(w, b) is above its minimum by at most P - D, where D is the dual at c times the residuals.

        c = min(1, min_j l1_j / |g_j - l2_j w_j|) makes them feasible, the ridge being rows of its own [Ndiaye,
        Fercoq, Gramfort, Salmon 2017, Gap safe screening rules, section 4]; for the logistic loss l*(c u) <= c l*(u).
        Without any l1 the ridge's conjugate takes residuals as they are. What the intercept still brings is added by
        its second order. inf where nothing is penalised.
        """
        f, wg, rest = slope.f, float(w @ slope.g), slope.gb**2 / (2 * slope.curve) if slope.curve > 0 else 0.0
        if self.smooth:
            pull = slope.g - self.l2 * w
            return (float((pull**2 / (2 * self.l2)).sum()) + rest if self.l2.all() else np.inf), 1.0
        s, ridge = np.abs(slope.g - self.l2 * w), float(self.l2 @ (w * w))
        over = s > self.l1
        c = float(np.min(self.l1[over] / s[over], initial=1.0))
        if logistic:
            dual = c * (f + wg + b * slope.gb) - c * c * ridge / 2
        else:
            dual = c * (2 * f + wg) - c * c * (2 * f + ridge) / 2
        return max(0.0, f + self(w) - dual) + rest, c

    def zero(self, slope: Slope, w: F64, gap: float, c: float, squares: F64, logistic: bool) -> NDArray[np.bool_]:
        """(d,) which weights are zero wherever P is least: the sphere test, Theorem 6 of the same.

        squares (d,): each column's mean square.
        """
        bent = 0.25 if logistic and not self.l2.any() else 1.0  # the loss's greatest curvature
        radius = np.sqrt(2 * gap * bent)
        found: NDArray[np.bool_] = c * np.abs(slope.g - self.l2 * w) + radius * np.sqrt(squares + self.l2) < self.l1
        return found
