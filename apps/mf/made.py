"""Made: the demo's ratings, drawn at random, since no real ones are at hand that may be passed on.

    python -m yarnml_apps.mf.made ratings.csv.gz

    r_ui = 3.4 + b_u + b_i + p_u . q_i + noise    in half stars from 0.5 to 5

with four tastes p, q; few users rate much, and few items are rated by many, as in real ones.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np

USERS, ITEMS, RATINGS, TASTES = 500, 300, 20_000, 4
MEAN, OF_USERS, OF_ITEMS, OF_TASTE, NOISE = 3.4, 0.35, 0.45, 0.7, 0.45  # the others are standard deviations


def made() -> str:
    """The file's text: the same bytes whatever numpy's version, whose `RandomState` is frozen."""
    rng = np.random.RandomState(0)
    often_u, often_i = (1 / (rng.permutation(n) + n / 10) for n in (USERS, ITEMS))
    often = np.outer(often_u, often_i).ravel()
    pair = rng.choice(USERS * ITEMS, RATINGS, replace=False, p=often / often.sum())
    u, i = pair // ITEMS, pair % ITEMS
    P, Q = (np.sqrt(OF_TASTE) * TASTES**-0.25 * rng.standard_normal((n, TASTES)) for n in (USERS, ITEMS))
    b, c = OF_USERS * rng.standard_normal(USERS), OF_ITEMS * rng.standard_normal(ITEMS)
    r = MEAN + b[u] + c[i] + (P[u] * Q[i]).sum(axis=1) + NOISE * rng.standard_normal(RATINGS)
    stars = np.clip(np.round(2 * r) / 2, 0.5, 5)
    lines = [f"{a + 1},{o + 1},{s:g}" for a, o, s in zip(u, i, stars, strict=True)]
    return "user,item,rating\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(gzip.compress(made().encode(), mtime=0))
