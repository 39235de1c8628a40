"""Factors: what is learned of each user and item, the same on all workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Keys
from yarnml.app import Model, Worker

from .sides import Ratings

F32 = NDArray[np.float32]
SPREAD = 0.1  # of the numbers that they begin with
DOUBT = 5  # ratings of the mean that an item's first bias counts as having, too


@final
@dataclass(frozen=True, eq=False)
class Factors:
    """r_ui is predicted as mean + P_u[:k] . Q_i[:k] + P_u[k] + Q_i[k]."""

    P: F32  # (U, k + 1), the bias last; it is the workers' state, and changed in place
    Q: F32  # (I, k + 1)
    mean: float

    @property
    def k(self) -> int:
        return int(self.P.shape[1]) - 1

    @classmethod
    def of(cls, me: Worker, k: int, ratings: Ratings, bias: bool, mean: float) -> Self:
        """As they were, or, at the beginning, small numbers at random: users' zero, items' bias about their mean.

        Users and items that the model of --start-from knows begin with its numbers.
        """
        U, I = len(ratings.users), len(ratings.items)  # noqa: E741
        rng = np.random.default_rng(me.seed)

        def items() -> F32:
            Q = SPREAD * rng.standard_normal((I, k + 1), np.float32)
            side, own = ratings.by_item, Q[ratings.by_item.lo : ratings.by_item.hi]
            n = np.diff(side.indptr)
            own[:, k], some = 0, n > 0
            if bias and some.any():
                sums = np.add.reduceat(side.r, side.indptr[:-1][some])
                own[some, k] = (sums - n[some] * mean) / (n[some] + DOUBT)
            side.share(me, Q)
            return known(Q, ratings.items, me.given, "items", "Q")

        def users() -> F32:
            return known(np.zeros((U, k + 1), np.float32), ratings.users, me.given, "users", "P")

        return cls(me.state("P", users), me.state("Q", items), mean)


def known(X: F32, ids: NDArray[Any], given: Model | None, names: str, array: str) -> F32:
    """X (ids, k + 1) with the model's `array` for those of the ids that are among its `names`."""
    if given is not None:
        at = Keys(ids, np.arange(len(ids), dtype=np.int32)).places(given[names])
        X[at >= 0] = given[array][at[at >= 0]]
    return X
