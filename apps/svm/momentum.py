"""Momentum: where the next pass begins: not where the last one ended, but further on the way that it went.

    y = x_t + beta (x_t - x_(t-1)),  beta = (s_t - 1) / s_(t+1),  s_(t+1) = (1 + sqrt(1 + 4 s_t^2)) / 2

[Beck, Teboulle 2009, A fast iterative shrinkage-thresholding algorithm, equations 4.2 and 4.3; for passes of several
workers Ma, Jaggi, Curtis, Srebro, Takac 2021, An accelerated communication-efficient primal-dual optimization framework
for structured machine learning]. Workers that each take the others' steps to be as long as their own lose less to that
the nearer the passes' ways are to one line, so momentum makes up for much of it. It begins anew where the objective
hasn't fallen [O'Donoghue, Candes 2015, Adaptive restart for accelerated gradient schemes], and only from points that
are better than all before: passes without it come to the optimum, so those with it do.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import final

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


@final
class Momentum:
    """That of one w (d + 1,), pure: the same on all workers. All that it knows is in `memory` (d + 3,)."""

    def __init__(self, memory: F64) -> None:
        self._numbers, self._before = memory[:2], memory[2:]  # the best objective and s; w of one pass ago

    @staticmethod
    def memory(width: int) -> F64:
        """Of nothing yet, for a w (width,)."""
        return np.array([inf, 1.0, *np.zeros(width)])

    def onward(self, w: F64, objective: float) -> tuple[F64, float]:
        """The point at which a pass begins, and beta, when the last one ended at w, where the objective is as said."""
        best, s = self._numbers.tolist()
        if not objective < best:
            s = 1.0
        longer = (1 + sqrt(1 + 4 * s * s)) / 2
        beta = (s - 1) / longer
        start = w + beta * (w - self._before) if beta else w
        self._numbers[:], self._before[:] = (min(best, objective), longer), w
        return start, beta
