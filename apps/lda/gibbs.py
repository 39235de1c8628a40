"""Gibbs: exact collapsed sampling [Griffiths, Steyvers 2004]: every token's topic from its conditional, all at once.

    P(z = k | all others) ~ (nd[d, k] + alpha[k]) (nw[w, k] + beta) / (nk[k] + V beta), this token not counted

Documents are cut into parts and words into as many blocks as rotate: in a turn each part meets a block of its own, so
that no two cells of a turn share a document or a word, and threads sample them at once. Only the totals nk are shared:
a cell sees those of the turn's beginning, and its own changes [Yan, Xu, Qi 2009]. Each thread samples two cells by
turns, since a token waits for the one before it in its cell. How many threads there are changes nothing.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from yarnml.app import Worker
from yarnml.kernels.prefetch import prefetch

from .corpus import PARTS, Corpus, tally
from .first import first_topics
from .lanes import LANES, UNIT, draw, padded, weigh
from .prior import Prior, rises
from .sampler import Sampler

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]
F = np.float32
EARLY = 5  # tokens ahead of which a word's row is fetched
FAST = {"contract", "nsz"}


@final
class Gibbs(Sampler):
    """Tokens lie in cells, within these in the documents' order."""

    def __init__(self, me: Worker, corpus: Corpus, K: int) -> None:
        self._me, self._K = me, K
        self.width = padded(K)
        self.document, self.place, self._cells = corpus.in_cells()
        self.z = me.state("topics", lambda: first_topics(me, corpus, self.document, self.place, K))
        self._nd = np.zeros((corpus.documents, self.width), np.int32)
        tally(self._nd, self.document, self.z)

    def sweep(self, block: int, first: int, N: I32, nk: I64, prior: Prior) -> I64:
        seeds = self._me.rng.integers(1, 2**63, (PARTS, PARTS), dtype=np.uint64)
        alpha = np.zeros(self.width, np.float32)
        alpha[: self._K] = prior.alpha
        now = nk
        for turn in range(PARTS):
            cells = self._cells[np.arange(PARTS), block * PARTS + (np.arange(PARTS) + turn) % PARTS]

            def some(lo: int, hi: int, cells: I64 = cells, seeds: U64 = seeds[turn], now: I64 = now) -> I64:
                own = np.repeat(now[None], hi - lo, axis=0)
                gibbs(
                    cells[lo:hi], self.document, self.place, self.z, self._nd, N, own, alpha, np.float32(prior.beta),
                    prior.beta * prior.V, first, seeds[lo:hi],
                )  # fmt: skip
                return np.asarray((own - now).sum(axis=0))

            now = now + np.sum(self._me.crew.each(some, PARTS, least=1), axis=0)
        return now - nk

    def topics(self) -> I32:
        return self.z

    def rises(self, alpha: F64) -> F64:
        nd = self._nd
        parts = self._me.crew.each(lambda lo, hi: rises(nd[lo:hi], alpha), len(nd))
        return np.asarray(np.sum(parts, axis=0))


@njit(cache=True, nogil=True)
def gibbs(
    cells: I64, document: I32, place: I32, z: I32, nd: I32, nw: I32, nk: I64, alpha: F32, beta: np.float32,
    vbeta: float, first: int, seeds: U64,
) -> None:  # fmt: skip
    """A new topic for every token of cells (n, 2), none of which share a document or a word.

    nd, nw (rows, padded K), row 0 of nw being place `first`; nk (n, K), seeds (n,): each cell its own.
    """
    for c in range(0, len(cells), 2):
        two = cells[c : c + 2]
        pair(two, document, place, z, nd, nw, nk[c : c + 2], alpha, beta, vbeta, first, seeds[c : c + 2])


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def pair(
    cells: I64, document: I32, place: I32, z: I32, nd: I32, nw: I32, nk: I64, alpha: F32, beta: np.float32,
    vbeta: float, first: int, seeds: U64,
) -> None:  # fmt: skip
    """The same of two cells or one, a token of each by turns: what one waits for, the other makes use of."""
    K, width = nk.shape[1], nd.shape[1]
    D, W = nd.reshape(-1), nw.reshape(-1)
    inv, upto, starts = np.zeros((2, width), F), np.zeros((2, width), F), np.zeros((2, LANES), F)
    for c in range(len(cells)):
        for k in range(K):
            inv[c, k] = F(1) / F(nk[c, k] + vbeta)
    i, t, end, s, d, w, total = 0, cells[0, 0], cells[0, 1], seeds[0], -1, 0, F(0)  # d >= 0: weighed, not drawn yet
    i_, t_, end_, s_, d_, w_, total_ = len(cells) - 1, cells[-1, 0], cells[-1, 1], seeds[-1], -1, 0, F(0)
    if len(cells) == 1:
        t_ = end_
    while t < end or t_ < end_:
        if t < end:
            soon = np.int64(place[min(t + EARLY, end - 1)] - first) * width
            for q in range(0, width, LANES):
                prefetch(W, soon + q)  # type: ignore[call-arg]
            d, w = np.int64(document[t]) * width, np.int64(place[t] - first) * width
            count(D, d, W, w, nk[i], inv[i], z[t], -1, vbeta)
            total = weigh(D, d, W, w, alpha, beta, inv[i], upto[i], starts[i])
        i, t, end, s, d, w, total, i_, t_, end_, s_, d_, w_, total_ = (
            i_, t_, end_, s_, d_, w_, total_, i, t, end, s, d, w, total
        )  # fmt: skip
        if d >= 0:
            s ^= s << np.uint64(13)  # xorshift [Marsaglia 2003]
            s ^= s >> np.uint64(7)
            s ^= s << np.uint64(17)
            k = draw(upto[i], starts[i], F(s >> np.uint64(40)) * UNIT * total, K)
            count(D, d, W, w, nk[i], inv[i], k, 1, vbeta)
            z[t] = k
            t, d = t + 1, -1


@njit(inline="always")
def count(D: I32, d: int, W: I32, w: int, nk: I64, inv: F32, k: int, by: int, vbeta: float) -> None:
    """A token of topic k more or less."""
    u = np.uint64(k)  # no place is negative, which numba else looks at
    D[np.uint64(d) + u] += by
    W[np.uint64(w) + u] += by
    nk[u] += by
    inv[u] = F(1) / F(nk[u] + vbeta)
