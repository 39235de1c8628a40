"""Phases: the two by which WarpLDA samples, document by document and word by word; see warp.py.

A token is three topics: the one that it has, the one that is proposed for the next phase, and the one under which it is
counted in the tables.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from yarnml.kernels.prefetch import prefetch

from .alias import fill, picked
from .lanes import UNIT

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
Z, PROPOSED, COUNTED = range(3)  # of a token
LOW = np.uint64(0xFFFFFFFF)
SHORT = 8  # times as long as an alias table a list may be that is used instead
EARLY = 16  # tokens ahead of which one is fetched


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
