"""Greedy k-means++ on weighted points [Arthur, Vassilvitskii 2007], with Lloyd's steps, the best of several tries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
TRIES, STEPS = 8, 20
BLOCK = 1 << 22  # distances held at once


def best_of(P: F64, w: F64, k: int, rng: np.random.Generator) -> F64:
    """k centres of the points P (m, d) with weights w (m,); fewer if there are fewer different points."""
    P, w = P[w > 0], w[w > 0]
    tries = [lloyd(P, w, plusplus(P, w, k, rng)) for _ in range(TRIES)]
    return min(tries, key=lambda found: found[1])[0]


def plusplus(P: F64, w: F64, k: int, rng: np.random.Generator) -> F64:
    """Centres among the points, each the best of a few drawn by weight times squared distance to those before."""
    few = 2 + int(np.log(k))
    chosen = [int(rng.choice(len(P), p=w / w.sum()))]
    d2 = squared(P, P[chosen])[:, 0]
    while len(chosen) < k and d2.any():
        chance = np.cumsum(w * d2)
        drawn = np.searchsorted(chance, rng.random(few) * chance[-1], side="right").clip(max=len(P) - 1)
        D = np.minimum(squared(P, P[drawn]), d2[:, None])
        best = int((w @ D).argmin())
        chosen.append(int(drawn[best]))
        d2 = D[:, best]
        d2[chosen] = 0  # rounding must not let a point be chosen twice
    return P[chosen]


def lloyd(P: F64, w: F64, C: F64) -> tuple[F64, float]:
    """Centres after Lloyd's steps on the weighted points, and their cost."""
    cost = np.inf
    for _ in range(STEPS):
        near, d2 = _nearest(P, C)
        if (now := float(w @ d2)) >= cost:
            break
        cost = now
        mass = np.bincount(near, w, len(C))
        sums = np.stack([np.bincount(near, w * column, len(C)) for column in P.T], axis=1)
        C = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], C)
    return C, cost


def squared(P: F64, C: F64) -> F64:
    """Squared distances (m, k) of points to centres."""
    D: F64 = np.einsum("md,md->m", P, P)[:, None] - 2 * (P @ C.T) + np.einsum("kd,kd->k", C, C)
    return np.maximum(D, 0)


def _nearest(P: F64, C: F64) -> tuple[NDArray[np.int64], F64]:
    step = max(1, BLOCK // len(C))
    parts = [squared(P[a : a + step], C) for a in range(0, len(P), step)]
    return np.concatenate([D.argmin(axis=1) for D in parts]), np.concatenate([D.min(axis=1) for D in parts])
