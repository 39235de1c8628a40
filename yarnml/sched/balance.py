"""Balance: each worker takes its own of a round's parameters, so that all have about as much to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from yarnml.kernels.deal import deal
from yarnml.sched.picks import Index, Picks, shared


@final
@dataclass(frozen=True, eq=False)
class Balance:
    """`cost` (n,): of each parameter, such as its non-zeros. The costliest goes to who has least [Graham 1969, LPT].

    Then a worker's `update` is given its own picks, and their parts are joined in the workers' order.
    """

    cost: NDArray[Any]

    def share(self, picks: Index, workers: int) -> Picks:
        cost = self.cost[picks].astype(np.float64)
        taker = deal(cost, np.argsort(-cost, kind="stable"), workers)
        return shared([picks[taker == worker] for worker in range(workers)])
