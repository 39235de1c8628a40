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
from yarnml.kernels.prefetch import prefetch

from .alias import alias, fill, picked
from .corpus import PARTS, Corpus, in_parts
from .first import first_topics
from .lanes import UNIT
from .prior import Prior, rises
from .sampler import Sampler

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Z, PROPOSED, COUNTED = range(3)  # of a token
LOW = np.uint64(0xFFFFFFFF)
CHUNK = 1 << 22  # counts held at once
SHORT = 8  # times as long as an alias table a list may be that is used instead
EARLY = 16  # tokens ahead of which one is fetched


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


@njit(inline="always")
def following(s: np.uint64) -> np.uint64:
    """The next random number after s [xorshift, Marsaglia 2003]."""
    s ^= s << np.uint64(13)
    s ^= s >> np.uint64(7)
    s ^= s << np.uint64(17)
    return s


@njit(inline="always")
def below(s: np.uint64, n: int | np.int64) -> np.int64:
    """A number in [0, n) out of the low half of s."""
    return np.int64(((s & LOW) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True, nogil=True, error_model="numpy")
def by_document(
    begin: I64, tokens: I32, totals: F32, less: F32, alpha: F32, chance: F32, other: I32, seed: np.uint64
) -> None:
    """The document phase, and the proposals for the word phase. `totals` (K,): nk + V beta, `less`: with a token
    less; `chance`, `other`: the alias table of alpha."""
    K, s, mass = len(totals), seed, alpha.sum()
    nd = np.zeros(K, np.int32)
    for d in range(len(begin) - 1):
        lo, hi = begin[d], begin[d + 1]
        for t in range(lo, hi):
            nd[tokens[t, Z]] += 1
        for t in range(lo, hi):
            o, k = tokens[t, Z], tokens[t, PROPOSED]
            s = following(s)
            u = np.float32(s >> np.uint64(40)) * UNIT
            moves = u * (nd[o] - 1 + alpha[o]) * totals[k] < (nd[k] + alpha[k]) * less[o]
            nd[o] -= 1
            o += (k - o) * np.int32(moves)  # a branch here would be guessed wrongly too often
            nd[o] += 1
            tokens[t, Z] = o
        for t in range(lo, hi):
            nd[tokens[t, Z]] = 0
        known = np.float32(hi - lo) / (np.float32(hi - lo) + mass)
        for t in range(lo, hi):
            s = following(s)
            if np.float32(s >> np.uint64(40)) * UNIT < known:
                tokens[t, PROPOSED] = tokens[lo + below(s, hi - lo), Z]
            else:
                s = following(s)
                tokens[t, PROPOSED] = picked(chance, other, s)


@njit(cache=True, nogil=True, error_model="numpy")
def by_word(
    begin: I64, of_word: I64, tokens: I32, N: I32, totals: F32, less: F32, beta: np.float32, moved: I64,
    seed: np.uint64,
) -> None:  # fmt: skip
    """The word phase of the words whose counts are N (words, K), and the proposals for the document phase; `moved` (K,)
    becomes how much the totals change."""
    s, K = seed, N.shape[1]
    room = (np.empty(K, np.int32), np.empty(K, np.float32), np.empty(K, np.float32), np.empty(K, np.int32),
            np.empty(K * SHORT, np.int32))  # fmt: skip
    for w in range(len(begin) - 1):
        if begin[w] < begin[w + 1]:
            s = accept(begin[w], begin[w + 1], of_word, tokens, N[w], totals, less, beta, moved, s)
            s = propose(of_word[begin[w] : begin[w + 1]], tokens, N[w], beta, room, s)


@njit(cache=True, nogil=True, error_model="numpy")
def accept(
    lo: int, hi: int, of_word: I64, tokens: I32, nw: I32, totals: F32, less: F32, beta: np.float32, moved: I64,
    s: np.uint64,
) -> np.uint64:  # fmt: skip
    """The tokens of_word[lo:hi] of one word, whose counts are nw (K,), move or stay."""
    flat = tokens.reshape(-1)
    for i in range(lo, hi):  # what the document phase has changed
        prefetch(flat, of_word[min(i + EARLY, len(of_word) - 1)] * 3)  # type: ignore[call-arg]
        t = of_word[i]
        nw[tokens[t, COUNTED]] -= 1
        nw[tokens[t, Z]] += 1
    for i in range(lo, hi):
        t = of_word[i]
        o, k = tokens[t, Z], tokens[t, PROPOSED]
        s = following(s)
        u = np.float32(s >> np.uint64(40)) * UNIT
        moves = u * (nw[o] - 1 + beta) * totals[k] < (nw[k] + beta) * less[o]
        nw[o] -= 1
        o += (k - o) * np.int32(moves)
        nw[o] += 1
        moved[tokens[t, COUNTED]] -= 1
        moved[o] += 1
        tokens[t, Z] = tokens[t, COUNTED] = o
    return s


@njit(cache=True, nogil=True, error_model="numpy")
def propose(
    mine: I64, tokens: I32, nw: I32, beta: np.float32, room: tuple[I32, F32, F32, I32, I32], s: np.uint64
) -> np.uint64:
    """Draw what the tokens `mine` of one word are to be next: of the topics that it has, or of all.

    The word's topics are drawn from a list of each as often as it is counted, and from an alias table, which takes
    long to make, where the list would be long.
    """
    topics, weights, chance, other, listed = room
    K, used, n = len(nw), np.int64(0), np.int64(0)
    for k in range(K):
        topics[used], weights[used] = k, nw[k]
        used += np.int64(nw[k] > 0)
        n += nw[k]
    known = np.float32(n) / (np.float32(n) + np.float32(K) * beta)
    if n > used * SHORT:
        fill(weights[:used], chance[:used], other[:used], listed)
        for t in mine:
            s = following(s)
            own = np.float32(s >> np.uint64(40)) * UNIT < known
            s = following(s)
            tokens[t, PROPOSED] = topics[picked(chance[:used], other[:used], s)] if own else below(s, K)
        return s
    at = 0
    for i in range(used):
        for _ in range(nw[topics[i]]):
            listed[at] = topics[i]
            at += 1
    for t in mine:
        s = following(s)
        own = np.float32(s >> np.uint64(40)) * UNIT < known
        tokens[t, PROPOSED] = listed[below(s, n)] if own else below(s, K)
    return s
