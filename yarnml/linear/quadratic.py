"""Quadratic: its minimum under a penalty, by coordinate descent, and exactly once the signs are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yarnml.kernels.descent import descend

F64 = NDArray[np.float64]
SWEEPS, TURNS = 100, 50  # of coordinate descent before a step of the other kind; of both together
FIRM = 1e-12  # of the diagonal, added to it: columns may be multiples of each other


def minimum(G: F64, q: F64, w: F64, l1: F64, l2: F64, tol: float) -> F64:
    """w + u (m,) for which  u' G u / 2 - q' u + sum_j l1_j |w_j + u_j| + l2_j (w_j + u_j)^2 / 2  is least.

    To about `tol`: what single steps still gain. Descent finds which weights aren't zero, and their signs; it is slow
    to find their values where columns are alike, so that these come from a linear system, as far as no sign changes.
    """
    if not l1.any():
        A, right = G + np.diag(l2), q - l2 * w
        found: F64 = w + (np.linalg.solve(A, right) if l2.all() else np.linalg.lstsq(A, right, rcond=1e-12)[0])
        return found
    w, q, h = w.copy(), q.copy(), G.diagonal() + l2
    for _ in range(TURNS):
        descend(G, q, w, l1, l2, tol / max(1, len(w)), SWEEPS)
        for _ in range(TURNS):
            if _to_signs(G, q, w, l1, l2):
                break
        pull = np.where(w != 0, q - l2 * w - l1 * np.sign(w), np.maximum(np.abs(q) - l1, 0))
        if (pull[h > l2] ** 2 / h[h > l2]).sum() <= tol:
            break
    return w


def _to_signs(G: F64, q: F64, w: F64, l1: F64, l2: F64) -> bool:
    """Change w and q to the minimum for these signs, or to where the first weight comes to zero on the way; whether
    it was the minimum."""
    S = np.flatnonzero(w)
    A = G[np.ix_(S, S)] + np.diag(l2[S] + FIRM * G.diagonal()[S])
    try:
        u = np.linalg.solve(A, (q - l2 * w - l1 * np.sign(w))[S])
    except np.linalg.LinAlgError:
        return True  # a column without length
    over = w[S] * (w[S] + u) < 0
    t = float(np.min(-w[S][over] / u[over], initial=1.0))
    new = w[S] + t * u
    new[over & (-w[S] / np.where(u == 0, 1, u) <= t)] = 0
    q -= (new - w[S]) @ G[S]
    w[S] = new
    return t == 1
