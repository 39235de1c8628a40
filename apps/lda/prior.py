"""Prior: alpha (K,) of documents over topics and beta of topics over words, and the step that makes both likelier.

Minka's fixed point [Minka 2000, Estimating a Dirichlet distribution, eq. 55], the token counts as they are sampled:

    alpha[k] <- alpha[k] (sum_d psi(nd[d,k] + alpha[k]) - psi(alpha[k])) / (sum_d psi(nd[d] + sum alpha) - psi(sum alpha))
    beta <- beta (sum_wk psi(nw[w,k] + beta) - psi(beta)) / (V sum_k psi(nk[k] + V beta) - psi(V beta))
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import final

import numpy as np
from numba import njit
from numpy.typing import NDArray

I32 = NDArray[np.int32]
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
def rises(counts: I32, a: F64) -> F64:
    """sum over rows i of psi(counts[i, k] + a[k]) - psi(a[k]), for each column k < len(a)."""
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
    """psi(x) for x > 0, to about 1e-12: up to 10 by psi(x) = psi(x + 1) - 1 / x, from there by its asymptotic series."""
    found = 0.0
    while x < 10:
        found -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return found + log(x) - 0.5 / x - series
