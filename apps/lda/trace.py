"""Trace: how likely the words of some documents are, as sampling goes on: what a run shows of its progress."""

from __future__ import annotations

from math import log
from typing import final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .prior import Prior
from .sampler import Sampler

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
TOKENS = 20_000  # of a worker, about
FAST = {"contract", "nsz", "reassoc"}


@final
class Trace:
    """Some of a worker's documents, evenly spread."""

    def __init__(self, sampler: Sampler, documents: int) -> None:
        every = max(1, len(sampler.place) // TOKENS)
        self._sampler, self._every = sampler, every
        self._at = np.flatnonzero(sampler.document % every == 0)
        self._document, self._place = sampler.document[self._at] // every, sampler.place[self._at]
        self._count = -(-documents // every)

    def of(self, first: int, N: I32, nk: I64, prior: Prior) -> F64:
        """sum log sum_k theta[d, k] phi[w, k] over those of the tokens whose words' counts are N, and their number."""
        nd = np.zeros((self._count, len(nk)), np.int32)
        np.add.at(nd, (self._document, self._sampler.topics()[self._at]), 1)
        inside = (self._place >= first) & (self._place < first + len(N))
        inv = 1 / (nk + prior.V * prior.beta)
        found = likelihood(self._document[inside], self._place[inside] - first, nd, N, inv, prior.alpha, prior.beta)
        return np.array([found, inside.sum()])


@njit(cache=True, nogil=True, fastmath=FAST)
def likelihood(document: I32, row: I32, nd: I32, N: I32, inv: F64, alpha: F64, beta: float) -> float:
    """sum over tokens of log sum_k (nd[d, k] + alpha[k]) / (nd[d] + sum alpha) (N[row, k] + beta) inv[k]."""
    found, mass = 0.0, alpha.sum()
    for t in range(len(row)):
        d, w, chance, length = document[t], row[t], 0.0, 0
        for k in range(len(alpha)):
            chance += (nd[d, k] + alpha[k]) * (N[w, k] + beta) * inv[k]
            length += nd[d, k]
        found += log(chance / (length + mass))
    return found
