"""Managed communication: what a process may send, and what goes first, when there is less room than there is to say.

Wei et al. 2015, Managed communication and consistency for fast data-parallel iterative analytics (SSPAggr). Increments
of ended clocks wait at their worker, where those to the same row become one. As long as the budget allows, those that
matter most leave; those of a clock that a read may soon wait for leave in any case. Servers answer as before, but push
what changed only as their budget allows, most important first: a worker whose rows have become too old asks for the
rest. So the promise of staleness stands, and the bytes that keep it are as few as can be.

It is for tables of staleness above 0: at 0 nothing may wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from yarnml.ps.spec import TableSpec

Array = npt.NDArray[Any]
Order = Literal["magnitude", "random", "fifo"]
CHUNK = 1 << 14  # bytes
HEADER = 128  # bytes of a message beside its numbers, about


@final
@dataclass(frozen=True, kw_only=True)
class Managed:
    """`bandwidth`: bytes a second that each process sends.

    `order`: "magnitude" |increment| / |row|, largest first (Wei et al. 2015, 4.3); "random"; "fifo": oldest first.
    """

    bandwidth: float
    order: Order = "magnitude"

    @property
    def chunk(self) -> float:
        """Bytes: less isn't worth a message of its own."""
        return min(CHUNK, self.bandwidth / 4)

    def manages(self, spec: TableSpec) -> bool:
        """Whether this table's increments may wait."""
        return spec.staleness != 0


def first(order: Order, n: int, *, size: Array, age: Array, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The places, increasing, of the `n` rows to send of those that have these relative sizes and ages."""
    if n >= len(size):
        return np.arange(len(size))
    match order:
        case "magnitude":
            score = -size
        case "random":
            score = rng.random(len(size))
        case "fifo":
            score = age
    return np.sort(np.argpartition(score, n)[:n])


def sizes(values: Array) -> Array:
    """|row| of each row, as float32; of whole numbers too."""
    wide = values.astype(np.float32, copy=False)
    found: Array = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return found
