"""Documents: a worker's own, as tokens that each have a topic, and how the counts of these change."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io import CSR
from yarnml.app import Model, Worker, located
from yarnml.kernels.counts import counted, tokens
from yarnml.kernels.drawn import drawn
from yarnml.kernels.shares import shares
from yarnml.kernels.uniform import uniform

from .classifiers import moments
from .sampler import assign, padded, sample

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
FIRST = 12  # the purpose of the random numbers that first topics are drawn by


@final
class Documents:
    def __init__(self, me: Worker, K: int, key: np.uint64) -> None:
        """Tokens begin with topics that `key` draws, or as the model of --start-from says of their documents."""
        rows = me.data
        assert rows.y is not None
        with located(me.dataset, rows.number):
            X = counted(rows.X, me.schema.name)
        self.used = X.columns()  # the words that occur, rising: token's words are places in it
        place = np.zeros(X.width, np.int32)
        place[self.used] = np.arange(len(self.used), dtype=np.int32)
        self._begin, word = tokens(X)
        self._word = place[word]
        self._y = rows.y
        self._weight = np.ones(len(rows), np.float32) if rows.weight is None else rows.weight
        self._me, self._K, self._L = me, K, me.schema.classes
        self._number = rows.number

        def first() -> I32:
            if me.given is not None:
                return self._told(X, word, me.given)
            z = np.empty(len(word), np.int32)
            assign(self._begin, self._y, key, self._number, self._L, K, z)
            return z

        self._z = me.state("assigned", first)

    def _told(self, X: CSR, word: I32, model: Model) -> I32:
        """Topics that the model would give these tokens: any number of workers draws the same."""
        document = np.repeat(np.arange(len(X), dtype=np.int32), np.diff(self._begin))
        each = (self._number[document] << 32) + np.arange(len(word)) - self._begin[document]
        phi, u = model["phi"], uniform(self._me.seed, FIRST, each)
        return drawn(document, word, shares(X, phi, model["alpha"]), phi, u)

    def __len__(self) -> int:
        return len(self._y)

    def counts(self) -> I32:
        """How often each used word has each topic, (used, K)."""
        found = np.zeros((len(self.used), self._K), np.int32)
        add(found, self._word, self._z, 1, 0, len(found))
        return found

    def sample(
        self, phi: F32, n: F32, eta: F64, alpha: float, c: float, ell: float, key: np.uint64
    ) -> tuple[I32, F64, float]:
        """New topics for all tokens: how the counts change, the classifiers' moments (L K, K + 1), the hinge loss.

        phi (used, padded K), n (K,), key: see sampler.py; eta (K, L).
        """
        old, cost = self._z.copy(), np.float32(c) * self._weight
        share, rate = np.zeros((len(self), self._K), np.float32), np.zeros((len(self), self._L), np.float32)
        rows, columns = eta.astype(np.float32), padded(eta.T)

        def part(lo: int, hi: int) -> float:
            return sample(
                self._begin[lo : hi + 1], self._word, self._y[lo:hi], cost[lo:hi], self._z, phi, n, columns, rows,
                np.float32(alpha), np.float32(ell), key, self._number[lo:hi], share[lo:hi], rate[lo:hi],
            )  # fmt: skip

        loss = sum(self._me.crew.each(part, len(self), least=32))
        Z = share.astype(np.float64)  # so that how documents are shared out changes nothing that is seen

        def posteriors(lo: int, hi: int) -> list[F64]:
            return [moments(Z, rate[:, j], np.where(self._y == j, 1, -1), cost, ell) for j in range(lo, hi)]

        M = [each for some in self._me.crew.each(posteriors, self._L, least=1) for each in some]
        return self._changes(old), np.concatenate(M), loss

    def _changes(self, old: I32) -> I32:
        delta = np.zeros((len(self.used), self._K), np.int32)

        def part(lo: int, hi: int) -> None:  # every thread looks at all tokens, and counts those of its own words
            add(delta, self._word, old, -1, lo, hi)
            add(delta, self._word, self._z, 1, lo, hi)

        self._me.crew.each(part, len(delta))
        return delta


@njit(cache=True, nogil=True)
def add(counts: I32, word: I32, z: I32, by: Any, lo: int, hi: int) -> None:
    """counts[word[t], z[t]] += by for each token t whose word lies in [lo, hi)."""
    for t in range(len(word)):
        if lo <= word[t] < hi:
            counts[word[t], z[t]] += by
