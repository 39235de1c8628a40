"""Stochastic gradient descent by block rotation [Gemulla, Haas, Nijkamp, Sismanis 2011; Kim et al. 2016, STRADS].

Users are dealt out to S = workers x threads blocks, and so are items. In round t of an epoch block s of the users goes
through its ratings of block (s + t) mod S of the items: no two touch the same user or item, so that no lock is needed
and the result is that of the blocks one after another. Of each rating, e = r - prediction:

    p, q <- p + h (e q - lambda p), q + h (e p - lambda q)        b_u, b_i likewise

which is a step along the gradient of what the other methods minimise; h falls as 1 / (1 + decay epoch).
"""

from __future__ import annotations

from typing import Any, final

import numba
import numpy as np
from numpy.typing import NDArray

from yarnml.app import Worker
from yarnml.sched import Rotation

from .factors import Factors
from .method import Method, Penalty
from .sides import Ratings

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
JIT: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy"}
DECAY = 0.1  # of the step in an epoch
SHUFFLE = 0x5D  # what the random numbers of the order are for


@final
class SGD(Method):
    def __init__(self, me: Worker, ratings: Ratings, factors: Factors, penalty: Penalty, lr: float) -> None:
        self._me, self._factors, self._penalty, self._lr = me, factors, penalty, lr
        self._blocks, self._first = me.workers * me.threads, me.index * me.threads  # S, and which is the first here
        self._side = ratings.by_user
        self._user = np.repeat(np.arange(self._side.lo, self._side.hi, dtype=np.int32), np.diff(self._side.indptr))
        self._order, self._begin = self._sorted(len(ratings.items))
        begin_users(me, factors)

    def _sorted(self, items: int) -> tuple[I64, I64]:
        """This worker's ratings at random within each pair of blocks, and where that of (thread, item block) begins."""
        threads, S = self._me.threads, self._blocks
        borders = [int(self._side.indptr[lo]) for lo, _ in self._side.parts(threads)]
        thread = np.searchsorted(borders, np.arange(len(self._user)), "right") - 1
        starts = [items * block // S for block in range(S)]  # as Rotation cuts them
        block = np.searchsorted(starts, self._side.other, "right") - 1
        pair = thread * S + block
        rng = np.random.default_rng([self._me.seed, SHUFFLE, self._me.index])
        order = rng.permutation(len(pair))
        order = order[np.argsort(pair[order], kind="stable")]
        return order, np.concatenate(([0], np.cumsum(np.bincount(pair, minlength=threads * S))))

    def epoch(self, number: int) -> float:
        me, Q, S = self._me, self._factors.Q, self._blocks
        h = np.float32(self._lr / (1 + DECAY * number))
        loss = 0.0
        for t in range(S):
            loss += self._round(t, h)
            if me.workers > 1:
                picks = Rotation().picks(t, len(Q), S)
                mine = np.concatenate([picks.of(self._first + s) for s in range(me.threads)])
                Q[picks.numbers] = np.concatenate(me.gather(Q[mine]))
        self._side.share(me, self._factors.P)
        return float(me.sum(loss))

    def _round(self, t: int, h: np.float32) -> float:
        """Every thread's block of users with its block of items."""

        def thread(s: int, _: int) -> float:
            return self._block(s, (self._first + s + t) % self._blocks, h)

        return sum(self._me.crew.each(thread, self._me.threads, least=1))

    def _block(self, thread: int, block: int, h: np.float32) -> float:
        pair = thread * self._blocks + block
        order = self._order[self._begin[pair] : self._begin[pair + 1]]
        f, penalty = self._factors, self._penalty
        lam = np.float32(penalty.lam)
        return float(
            steps(order, self._user, self._side.other, self._side.r, f.P, f.Q, np.float32(f.mean), h, lam, penalty.bias)
        )


def begin_users(me: Worker, factors: Factors) -> None:
    """Users that are all 0 would leave items where they are: small numbers at random, where nothing is learned yet."""
    if me.clock_now == 0:
        P = factors.P
        rng = np.random.default_rng([me.seed, SHUFFLE])
        P[:, :-1] = 0.1 * rng.standard_normal((len(P), factors.k), np.float32)


@numba.njit(**JIT)
def steps(
    order: I64, user: I32, item: I32, r: F32, P: F32, Q: F32, mean: np.float32, h: np.float32, lam: np.float32,
    bias: bool,
) -> float:  # fmt: skip
    """A step for each of the ratings `order` names; the sum of e^2 and their penalties as they were met."""
    k, loss = P.shape[1] - 1, 0.0
    for t in order:
        p, q = P[user[t]], Q[item[t]]
        e, norm = r[t] - mean - p[k] - q[k], p[k] * p[k] + q[k] * q[k]
        for c in range(k):
            e -= p[c] * q[c]
            norm += p[c] * p[c] + q[c] * q[c]
        loss += e * e + lam * norm
        for c in range(k):
            a, b = p[c], q[c]
            p[c] += h * (e * b - lam * a)
            q[c] += h * (e * a - lam * b)
        if bias:
            p[k] += h * (e - lam * p[k])
            q[k] += h * (e - lam * q[k])
    return loss
