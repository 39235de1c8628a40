"""Warp: sampling by Metropolis-Hastings, whose cost of a token does not grow with K [Chen et al. 2016, WarpLDA].

    document phase   z moves to k, proposed by q(k) ~ nw[w, k] + beta, with chance
                     min(1, (nd[d, k] + alpha[k]) (nk[z] + V beta) / ((nd[d, z] + alpha[z]) (nk[k] + V beta)))
    word phase       z moves to k, proposed by q(k) ~ nd[d, k] + alpha[k], with chance
                     min(1, (nw[w, k] + beta) (nk[z] + V beta) / ((nw[w, z] + beta) (nk[k] + V beta)))

the token itself counted neither in nd[d, z], nw[w, z] nor nk[z]. One phase goes document by document and the other
word by word, so that the counts at hand are one small row, and proposals wait beside the tokens for the other phase.
A pass is one of each: all documents first, then the blocks of words as they come by. A token stands in the tables under
the topic that its word phase saw last, `counted`.
"""

from __future__ import annotations

from functools import partial
from typing import final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from yarnml.app import Worker

from .alias import alias
from .corpus import PARTS, Corpus, in_parts
from .first import first_topics
from .phases import COUNTED, Z, by_document, by_word
from .prior import Prior, rises
from .sampler import Sampler

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
CHUNK = 1 << 22  # counts held at once


@final
class Warp(Sampler):
    """Tokens lie in the documents' order."""

    def __init__(self, me: Worker, corpus: Corpus, K: int) -> None:
        self._me, self._K, self.width = me, K, K
        self._documents, self.place = corpus.in_order()
        self.document = np.repeat(np.arange(corpus.documents, dtype=np.int32), np.diff(self._documents))
        self._words, self._of_word = by_place(self.place, len(corpus.place))
        first = partial(first_topics, me, corpus, self.document, self.place, K)
        self.tokens = me.state("topics", lambda: np.repeat(first()[:, None], 3, axis=1))

    def topics(self) -> I32:
        return self.tokens[:, COUNTED]

    def sweep(self, block: int, first: int, N: I32, nk: I64, prior: Prior) -> I64:
        seeds = self._me.rng.integers(1, 2**63, (2, PARTS), dtype=np.uint64)
        beta, total = np.float32(prior.beta), np.float32(prior.V * prior.beta)
        totals, less = (np.maximum(n, 0).astype(np.float32) + total for n in (nk, nk - 1))
        if block == self._me.index:  # a pass begins
            cuts, alpha, table = cut(self._documents, 0, len(self._documents) - 1), *smooth(prior.alpha)

            def documents(part: int) -> None:
                begin = self._documents[cuts[part] : cuts[part + 1] + 1]
                by_document(begin, self.tokens, totals, less, alpha, *table, seeds[0, part])

            in_parts(self._me.crew, documents)
        edges = cut(self._words, first, first + len(N))

        def words(part: int) -> I64:
            a, b = edges[part], edges[part + 1]
            begin, rows, moved = self._words[a : b + 1], N[a - first : b - first], np.zeros(self._K, np.int64)
            by_word(begin, self._of_word, self.tokens, rows, totals, less, beta, moved, seeds[1, part])
            return moved

        return np.asarray(np.sum(in_parts(self._me.crew, words), axis=0))

    def rises(self, alpha: F64) -> F64:
        step, found = max(1, CHUNK // self._K), np.zeros(self._K)
        for lo in range(0, len(self._documents) - 1, step):
            begin = self._documents[lo : lo + step + 1]
            at = slice(begin[0], begin[-1])
            nd = np.zeros((len(begin) - 1, self._K), np.int32)
            np.add.at(nd, (self.document[at] - lo, self.tokens[at, Z]), 1)
            found += rises(nd, alpha)
        return found


def smooth(alpha: F64) -> tuple[F32, tuple[F32, I32]]:
    """alpha for kernels, and its alias table."""
    return alpha.astype(np.float32), alias(alpha)


def cut(begin: I64, lo: int, hi: int) -> I64:
    """PARTS parts of [lo, hi), (PARTS + 1,), that hold about as many tokens each; `begin` says where each one's are."""
    n = begin[hi] - begin[lo]
    inner = np.searchsorted(begin[lo:hi], begin[lo] + n * np.arange(1, PARTS) // PARTS)
    return np.concatenate(([lo], lo + inner, [hi])).astype(np.int64)


@njit(cache=True, nogil=True)
def by_place(place: I32, V: int) -> tuple[I64, I64]:
    """Where the tokens of each place begin, (V + 1,), and the tokens (n,) in the places' order."""
    begin, token = np.zeros(V + 1, np.int64), np.empty(len(place), np.int64)
    for w in place:
        begin[w + 1] += 1
    for w in range(V):
        begin[w + 1] += begin[w]
    at = begin[:-1].copy()
    for t in range(len(place)):
        token[at[place[t]]] = t
        at[place[t]] += 1
    return begin, token
