"""Dependency: which parameters' columns correlate, found out when asked, and remembered within a bound of bytes."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from yarnml.sched.independent import Independent
from yarnml.sched.picks import Index

UNKNOWN, FREE, DEPENDENT = -1, 0, 1
EMPTY = -1
ENTRY = 9  # bytes of a pair


@final
class Dependency:
    """A table of pairs in which a newer one takes the place of an older one."""

    def __init__(self, independent: Independent, parameters: int) -> None:
        self._of, self._parameters = independent, parameters
        slots = 1 << max(0, (independent.memory // ENTRY).bit_length() - 1)
        slots = min(slots, 1 << max(0, (parameters * parameters // 2).bit_length()))
        self._key = np.full(slots, EMPTY, np.int64)
        self._says = np.zeros(slots, np.int8)

    def independent(self, candidates: Index) -> NDArray[np.bool_]:
        """Which of them (k,) depend on none that was kept before."""
        pairs = self._pairs(candidates)
        kept = np.zeros(len(candidates), np.bool_)
        taken = np.zeros(len(candidates), np.bool_)  # by one that was kept
        for at in range(len(candidates)):
            if not taken[at]:
                kept[at] = True
                taken |= pairs[at]
        return kept

    def _pairs(self, candidates: Index) -> NDArray[np.bool_]:
        """(k, k), whether they depend."""
        a, b = np.triu_indices(len(candidates), 1)
        low, high = np.minimum(candidates[a], candidates[b]), np.maximum(candidates[a], candidates[b])
        key = low * self._parameters + high
        slot = (key * 0x9E3779B97F4A7C1 >> 20) & (len(self._key) - 1)
        known = self._key[slot] == key
        says = np.where(known, self._says[slot], UNKNOWN)
        if not known.all():
            new = np.flatnonzero(~known)
            at = np.unique(np.concatenate([a[new], b[new]]))
            R = correlation(self._of.columns(candidates[at]))
            says[new] = R[np.searchsorted(at, a[new]), np.searchsorted(at, b[new])] > self._of.rho
            self._key[slot[new]] = key[new]
            self._says[slot[new]] = says[new]  # of two pairs for one slot the last one holds in both arrays
        found = np.zeros((len(candidates), len(candidates)), np.bool_)
        found[a, b] = found[b, a] = says == DEPENDENT
        return found


def correlation(X: NDArray[Any]) -> NDArray[Any]:
    """|corr| (k, k) of the columns of X (s, k); a column without variance correlates with none."""
    Z = X - X.mean(axis=0, keepdims=True) if len(X) else X
    norm = np.sqrt(np.einsum("sk,sk->k", Z, Z))
    Z = Z / np.where(norm > 0, norm, 1.0)
    R: NDArray[Any] = np.abs(Z.T @ Z)
    return R
