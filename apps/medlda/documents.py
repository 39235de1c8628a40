"""Documents: a worker's own, as tokens that each have a topic, and how the counts of these change."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from yarnml.app import Worker
from yarnml.kernels.counts import counted, tokens

from .classifiers import moments
from .sampler import padded, sample

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]


@final
class Documents:
    def __init__(self, me: Worker, K: int) -> None:
        rows = me.data
        assert rows.y is not None
        X = counted(rows.X, int(rows.number[0]) if len(rows) else 0)
        self.used = X.columns()  # the words that occur, rising: token's words are places in it
        place = np.zeros(X.width, np.int32)
        place[self.used] = np.arange(len(self.used), dtype=np.int32)
        self._begin, word = tokens(X)
        self._word = place[word]
        self._y = rows.y
        self._weight = np.ones(len(rows), np.float32) if rows.weight is None else rows.weight
        self._me, self._K, self._L = me, K, me.schema.classes
        self._z = me.state("assigned", self._first_topics)

    def __len__(self) -> int:
        return len(self._y)

    def counts(self) -> I32:
        """How often each used word has each topic, (used, K)."""
        found = np.zeros((len(self.used), self._K), np.int32)
        add(found, self._word, self._z, 1, 0, len(found))
        return found

    def sample(self, phi: F32, n: F32, eta: F64, alpha: float, c: float, ell: float) -> tuple[I32, F64, float]:
        """New topics for all tokens: how the counts change, the classifiers' moments (L K, K + 1), the hinge loss.

        phi (used, padded K), n (K,): see `sample`; eta (K, L).
        """
        old, cost = self._z.copy(), np.float32(c) * self._weight
        share, rate = np.zeros((len(self), self._K), np.float32), np.zeros((len(self), self._L), np.float32)
        key = self._me.rng.integers(2**63, dtype=np.uint64)
        rows, columns = eta.astype(np.float32), padded(eta.T)

        def part(lo: int, hi: int) -> float:
            return sample(
                self._begin[lo : hi + 1], self._word, self._y[lo:hi], cost[lo:hi], self._z, phi, n, columns, rows,
                np.float32(alpha), np.float32(ell), key, lo, share[lo:hi], rate[lo:hi],
            )  # fmt: skip

        loss = sum(self._me.crew.each(part, len(self), least=32))

        def posteriors(lo: int, hi: int) -> list[F64]:
            return [moments(share, rate[:, j], np.where(self._y == j, 1, -1), cost, ell) for j in range(lo, hi)]

        M = [each for some in self._me.crew.each(posteriors, self._L, least=1) for each in some]
        return self._changes(old), np.concatenate(M), loss

    def _changes(self, old: I32) -> I32:
        delta = np.zeros((len(self.used), self._K), np.int32)

        def part(lo: int, hi: int) -> None:  # every thread looks at all tokens, and counts those of its own words
            add(delta, self._word, old, -1, lo, hi)
            add(delta, self._word, self._z, 1, lo, hi)

        self._me.crew.each(part, len(delta))
        return delta

    def _first_topics(self) -> I32:
        """Half of the tokens begin with a topic of their document's class, k = y modulo L, the others with any."""
        rng, n = self._me.rng, len(self._word)
        own = np.repeat(self._y, np.diff(self._begin)) + self._L * rng.integers(0, max(1, self._K // self._L), n)
        return np.where(rng.random(n) < 0.5, own % self._K, rng.integers(0, self._K, n)).astype(np.int32)


@njit(cache=True, nogil=True)
def add(counts: I32, word: I32, z: I32, by: Any, lo: int, hi: int) -> None:
    """counts[word[t], z[t]] += by for each token t whose word lies in [lo, hi)."""
    for t in range(len(word)):
        if lo <= word[t] < hi:
            counts[word[t], z[t]] += by
