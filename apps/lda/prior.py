"""Prior: alpha (K,) of documents over topics and beta of topics over words, and the step that makes both likelier.

Minka's fixed point [Minka 2000, Estimating a Dirichlet distribution, eq. 55], the token counts as they are sampled:

    alpha[k] <- alpha[k] sum_d rise(nd[d, k], alpha[k]) / sum_d rise(nd[d], sum alpha)
    beta <- beta sum_wk rise(nw[w, k], beta) / (V sum_k rise(nk[k], V beta))        rise(n, a) = psi(n + a) - psi(a)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Counts = NDArray[np.int32] | NDArray[np.int64]
F64 = NDArray[np.float64]
LEAST = 1e-6  # of alpha[k] and beta: a topic that has lost all its tokens may come back
SHORT = 16  # counts up to which 1/a + 1/(a + 1) + ... is quicker than two digammas


@final
@dataclass(frozen=True, eq=False)
class Prior:
    alpha: F64  # (K,)
    beta: float
    V: int  # words

    def stepped(self, documents: F64, lengths: float, words: float, totals: float) -> Prior:
        """After a step, of the four sums above: (K,) of the documents, their lengths', the words', the totals'."""
        alpha = self.alpha * documents / lengths if lengths > 0 else self.alpha
        beta = self.beta * words / (self.V * totals) if totals > 0 else self.beta
        return Prior(np.maximum(alpha, LEAST), max(beta, LEAST), self.V)


@njit(cache=True, nogil=True)
def rises(counts: Counts, a: F64) -> F64:
    """sum over rows i of rise(counts[i, k], a[k]), for each column k < len(a)."""
    found, below = np.zeros(len(a)), np.empty(len(a))
    for k in range(len(a)):
        below[k] = digamma(a[k])
    for i in range(counts.shape[0]):
        for k in range(len(a)):
            n = counts[i, k]
            if n > SHORT:
                found[k] += digamma(n + a[k]) - below[k]
            elif n > 0:
                for j in range(n):
                    found[k] += 1 / (a[k] + j)
    return found


@njit(cache=True, nogil=True)
def digamma(x: float) -> float:
    """psi(x) for x > 0, to 1e-12: up to 10 by psi(x) = psi(x + 1) - 1 / x, from there by its asymptotic series."""
    found = 0.0
    while x < 10:
        found -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return found + log(x) - 0.5 / x - series
