"""Newton: a step in more weights than a Gram matrix has room for, by conjugate gradients on Hessian products.

Weights keep their signs or become zero [Andrew, Gao 2007, OWL-QN, projects likewise; Byrd, Chin, Nocedal, Oztoprak
2016, A family of second-order methods for convex l1-regularized optimization].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yarnml.linear.penalty import Penalty
from yarnml.linear.sums import Slope, Sums

F64 = NDArray[np.float64]
ETA, MOST = 0.3, 50  # the residual that is left, of the first; steps at most


def newton(
    sums: Sums, slope: Slope, penalty: Penalty, w: F64, free: NDArray[np.bool_], intercept: bool
) -> tuple[F64, float]:
    """A direction (d,), and the intercept's, that about minimises Newton's quadratic over the weights that are free.

    The Hessian's diagonal serves as preconditioner.
    """
    diagonal = np.where(free, sums.powers(curved=True)[1] + penalty.l2, 1.0)
    diagonal[diagonal <= 0] = 1.0
    last = slope.curve if intercept and slope.curve > 0 else 1.0
    r, rb = np.where(free, penalty.pull(slope, w), 0.0), slope.gb if intercept else 0.0
    u, ub = np.zeros(len(w)), 0.0
    z, zb = r / diagonal, rb / last
    p, pb = z.copy(), zb
    size = first = float(r @ z) + rb * zb
    for _ in range(MOST):
        if size <= ETA * ETA * first or size == 0:
            break
        H, Hb = sums.bend(p, pb)
        H = np.where(free, H + penalty.l2 * p, 0.0)
        Hb = Hb if intercept else 0.0
        bent = float(p @ H) + pb * Hb
        if bent <= 0:
            break
        a = size / bent
        u, ub = u + a * p, ub + a * pb
        r, rb = r - a * H, rb - a * Hb
        z, zb = r / diagonal, rb / last
        size, before = float(r @ z) + rb * zb, size
        p, pb = z + size / before * p, zb + size / before * pb
    return u, ub
