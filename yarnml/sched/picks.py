"""Picks: the parameters that one round updates, and which worker sees to which of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
Numbers = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Picks:
    """`numbers`, and, where workers take different ones, the places that cut them in the workers' order."""

    numbers: Index
    cuts: Index | None = None  # (workers + 1,); None: every worker takes all, and adds what its rows say of them

    def of(self, worker: int) -> Index:
        """Those that this worker updates."""
        return self.numbers if self.cuts is None else self.numbers[self.cuts[worker] : self.cuts[worker + 1]]


def shared(parts: list[Index]) -> Picks:
    """A part for each worker."""
    return Picks(np.concatenate(parts), np.cumsum([0, *(len(part) for part in parts)]))
