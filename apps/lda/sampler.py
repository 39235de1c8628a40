"""Sampler: how the tokens of one worker's documents get their topics."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from .prior import Prior

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


class Sampler(ABC):
    """Holds the worker's tokens: of token t the place of its word, and its topic, which lives in `me.state`."""

    document: I32  # (n,)
    place: I32  # (n,)
    width: int  # of a row of counts that `sweep` wants: K, or more

    @abstractmethod
    def topics(self) -> I32:
        """z (n,): as counted in the table of words."""

    @abstractmethod
    def sweep(self, block: int, first: int, N: I32, nk: I64, prior: Prior) -> I64:
        """New topics for this worker's tokens of a block of words; by how much the totals (K,) change.

        N (words of the block, width) are the counts of the words from place `first` on, changed in place; nk (K,) the
        totals, which aren't.
        """

    @abstractmethod
    def rises(self, alpha: F64) -> F64:
        """sum over documents d of rise(nd[d, k], alpha[k]), (K,): see prior.py."""
