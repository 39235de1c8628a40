"""Rotation: sampling by rounds, a block of words a worker, so that no two workers sample the same word at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from yarnml.app import Worker
from yarnml.sched import Index, ModelParallel, Rotation, added

from .corpus import tally
from .prior import Prior, rises
from .sampler import Sampler
from .trace import Trace

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
STEPS = 5  # of the fixed point each time


@final
class Topics(ModelParallel):
    """The table `words` holds nw (V, K); `totals` (K,) and the priors lie in me.state, the same on all workers."""

    def __init__(
        self, me: Worker, sampler: Sampler, trace: Trace, lengths: I64, learn: tuple[int, int], prior: Prior
    ) -> None:
        """`lengths`: of this worker's documents; `learn`: passes before the priors are learned, and from one learning
        to the next (0: never)."""
        K = len(prior.alpha)
        self._me, self._sampler, self._trace, self._learn = me, sampler, trace, learn
        self._lengths = lengths[:, None]
        self._words, self.parameters, self._K = me.table("words"), prior.V, K  # words are what is scheduled
        self.totals = me.state("totals", lambda: np.zeros(K, np.int64))
        self._prior = me.state("prior", lambda: np.append(prior.alpha, prior.beta))
        self.log_likelihood = 0.0  # of the last round's tokens, each
        self._room: I32 | None = None

    def schedule(self) -> Rotation:
        return Rotation()

    @property
    def prior(self) -> Prior:
        return Prior(self._prior[:-1].copy(), float(self._prior[-1]), self.parameters)

    def count(self) -> None:
        """Put the first topics into the tables."""
        nw = np.zeros((self.parameters, self._K), np.int32)
        tally(nw, self._sampler.place, np.ascontiguousarray(self._sampler.topics()))
        self.totals[:] = self._me.sum(nw.sum(axis=0, dtype=np.int64))
        self._words.inc(None, nw)

    def update(self, picks: Index) -> F64:
        """By how much this worker's tokens change the totals, and their log likelihood and number, (K + 2,)."""
        turn, rest = divmod(self._me.clock_now - 1, self._me.workers)
        burn, learn = self._learn
        if rest == 0 and learn and turn >= burn and turn % learn == 0:
            self._better_prior()
        if not len(picks):
            return np.zeros(self._K + 2)
        rows = slice(int(picks[0]), int(picks[-1]) + 1)
        block = (self._me.index + rest) % self._me.workers
        had = self._words.get(rows)
        N = self._copied(had)
        moved = self._sampler.sweep(block, rows.start, N, self.totals, self.prior)
        seen = self._trace.of(rows.start, N, self.totals + moved, self.prior)
        self._words.inc(rows, self._change(N, had))
        return np.concatenate((moved.astype(np.float64), seen))

    def aggregate(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return added(parts)

    def apply(self, picks: Index, total: NDArray[Any]) -> F64:
        self.totals += total[: self._K].astype(np.int64)
        self.log_likelihood = float(total[-2] / max(1.0, total[-1]))
        return np.zeros(len(picks))

    def _copied(self, had: I32) -> I32:
        if self._room is None or len(self._room) < len(had):  # kept: new memory is slow, and its padding stays 0
            self._room = np.zeros((len(had), self._sampler.width), np.int32)
        N = self._room[: len(had)]

        def part(lo: int, hi: int) -> None:
            N[lo:hi, : self._K] = had[lo:hi]

        self._me.crew.each(part, len(had))
        return N

    def _change(self, N: I32, had: I32) -> I32:
        change = np.empty(had.shape, np.int32)

        def part(lo: int, hi: int) -> None:
            np.subtract(N[lo:hi, : self._K], had[lo:hi], out=change[lo:hi])

        self._me.crew.each(part, len(had))
        return change

    def _better_prior(self) -> None:
        """Some steps of the fixed point by all workers: of documents each its own, of words a part of the table."""
        me, V, K = self._me, self.parameters, self._K
        mine = self._words.get(slice(V * me.index // me.workers, V * (me.index + 1) // me.workers))
        for _ in range(STEPS):
            alpha, beta = self.prior.alpha, np.full(K, self.prior.beta)
            lengths = rises(self._lengths, alpha.sum(keepdims=True))
            words = np.sum(me.crew.each(partial(_words, mine, beta), len(mine)))
            documents = self._sampler.rises(alpha)
            found = me.sum(np.concatenate((documents, lengths, [words])))
            totals = float(rises(self.totals[None, :], V * beta).sum())
            better = self.prior.stepped(found[:K], found[K], found[K + 1], totals)
            self._prior[:] = np.append(better.alpha, better.beta)


def _words(N: I32, beta: F64, lo: int, hi: int) -> F64:
    return np.asarray(rises(N[lo:hi], beta).sum())
