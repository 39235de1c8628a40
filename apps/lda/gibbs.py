"""Gibbs: exact collapsed sampling [Griffiths, Steyvers 2004]: every token's topic from its conditional, all at once.

    P(z = k | all others) ~ (nd[d, k] + alpha[k]) (nw[w, k] + beta) / (nk[k] + V beta), this token not counted

Documents are cut into parts and words into as many blocks as rotate: in a turn each part meets a block of its own, so
that no two cells of a turn share a document or a word, and threads sample them at once. Only the totals nk are shared:
a cell sees those of the turn's beginning, and its own changes [Yan, Xu, Qi 2009]. How many threads there are changes
nothing.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from yarnml.app import Worker
from yarnml.kernels.prefetch import prefetch

from .corpus import PARTS, Corpus, in_parts
from .lanes import UNIT, draw, padded, weigh
from .prior import Prior, rises
from .sampler import Sampler

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
EARLY = 6  # tokens ahead of which a word's row is fetched
FAST = {"contract", "nsz", "reassoc"}


@final
class Gibbs(Sampler):
    """Tokens lie in cells, within these in the documents' order."""

    def __init__(self, me: Worker, corpus: Corpus, K: int) -> None:
        self._me, self._K = me, K
        self.width = padded(K)
        self.document, self.place, self._cells = corpus.in_cells()
        self.z = me.state("topics", lambda: me.rng.integers(0, K, len(self.place), dtype=np.int32))
        self._nd = np.zeros((corpus.documents, self.width), np.int32)
        tally(self._nd, self.document, self.z)

    def sweep(self, block: int, first: int, N: I32, nk: I64, prior: Prior) -> I64:
        seeds = self._me.rng.integers(1, 2**63, (PARTS, PARTS), dtype=np.uint64)
        alpha = np.zeros(self.width, np.float32)
        alpha[: self._K] = prior.alpha
        now = nk
        for turn in range(PARTS):
            blocks = block * PARTS + (np.arange(PARTS) + turn) % PARTS

            def cell(part: int, turn: int = turn, blocks: I64 = blocks, now: I64 = now) -> I64:
                at, own = slice(*self._cells[part, blocks[part]]), now.copy()
                gibbs(
                    self.document[at], self.place[at], self.z[at], self._nd, N, own, alpha, np.float32(prior.beta),
                    prior.beta * prior.V, first, seeds[turn, part],
                )  # fmt: skip
                return own - now

            now = now + np.sum(in_parts(self._me.crew, cell), axis=0)
        return now - nk

    def topics(self) -> I32:
        return self.z

    def rises(self, alpha: F64) -> F64:
        nd = self._nd
        parts = self._me.crew.each(lambda lo, hi: rises(nd[lo:hi], alpha), len(nd))
        return np.asarray(np.sum(parts, axis=0))


@njit(cache=True, nogil=True)
def tally(counts: I32, row: I32, z: I32) -> None:
    """counts[row[t], z[t]] += 1 for every token t."""
    for t in range(len(z)):
        counts[row[t], z[t]] += 1


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def gibbs(
    document: I32, place: I32, z: I32, nd: I32, nw: I32, nk: I64, alpha: F32, beta: np.float32, vbeta: float,
    first: int, seed: np.uint64,
) -> None:  # fmt: skip
    """A new topic for every token in turn. nd, nw (rows, padded K), row 0 of nw being place `first`; nk (K,)."""
    K, width = len(nk), nd.shape[1]
    D, W, one, s = nd.reshape(-1), nw.reshape(-1), np.float32(1), seed
    p, inv, sums = np.zeros(width, np.float32), np.zeros(width, np.float32), np.zeros(16, np.float32)
    for k in range(K):
        inv[k] = one / np.float32(nk[k] + vbeta)
    for t in range(len(z)):
        soon = np.int64(place[min(t + EARLY, len(z) - 1)] - first) * width
        for q in range(0, width, 16):
            prefetch(W, soon + q)  # type: ignore[call-arg]
        d, w, o = np.int64(document[t]) * width, np.int64(place[t] - first) * width, np.int64(z[t])
        D[d + o] -= 1
        W[w + o] -= 1
        nk[o] -= 1
        inv[o] = one / np.float32(nk[o] + vbeta)
        weigh(D, d, W, w, alpha, beta, inv, p, sums)
        s ^= s << np.uint64(13)  # xorshift [Marsaglia 2003]
        s ^= s >> np.uint64(7)
        s ^= s << np.uint64(17)
        k = draw(p, sums, np.float32(s >> np.uint64(40)) * UNIT, K)
        D[d + k] += 1
        W[w + k] += 1
        nk[k] += 1
        inv[k] = one / np.float32(nk[k] + vbeta)
        z[t] = k
