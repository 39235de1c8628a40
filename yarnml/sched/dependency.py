"""Dependency: which parameters' columns correlate, found out when asked, and remembered within a bound of bytes."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from yarnml.kernels.pairs import EMPTY, UNKNOWN, apart, learn, look
from yarnml.sched.independent import Independent
from yarnml.sched.picks import Index

ENTRY = 9  # bytes of a pair
MET = 3  # rows in which two sparse columns must meet: one or two in common say nothing


@final
class Dependency:
    """Belongs to one thread at a time."""

    def __init__(self, independent: Independent, parameters: int) -> None:
        self._of, self._parameters = independent, parameters
        slots = min(max(1, independent.memory // ENTRY), max(1, parameters * parameters // 2))
        self._keys = np.full(1 << (slots.bit_length() - 1), EMPTY, np.int64)
        self._says = np.zeros(len(self._keys), np.int8)

    def judge(self, candidates: Index) -> Index:
        """Of each of these different ones (k,) the place of the first that was kept before and that it depends on.

        If there is none it is kept, and the place is its own.
        """
        pairs = look(self._keys, self._says, self._parameters, candidates)
        new = (pairs == UNKNOWN).any(axis=1)
        if new.any():
            R = correlation(self._of.columns(candidates[new]))
            pairs[np.ix_(new, new)] = found = (self._of.rho < R).astype(np.int8)
            learn(self._keys, self._says, self._parameters, candidates[new], found)
        by: Index = apart(pairs)
        return by


def correlation(X: NDArray[Any] | csc_array) -> NDArray[Any]:
    """|corr| (k, k) of the columns of X (s, k); a column without variance correlates with none.

    Nor do two sparse ones that have few rows in common.
    """
    return _of_dense(X) if isinstance(X, np.ndarray) else _of_sparse(X)


def _of_sparse(X: csc_array) -> NDArray[Any]:
    """With m the columns' means: (X - 1 m')' (X - 1 m') = X'X - s m m'."""
    X = X.astype(np.float64)
    m = np.asarray(X.sum(axis=0)).reshape(-1) / max(1, X.shape[0])
    C = (X.T @ X).toarray() - X.shape[0] * np.outer(m, m)
    norm = np.sqrt(np.maximum(np.diag(C), 0))
    holds = (X != 0).astype(np.float64)
    met = (holds.T @ holds).toarray() >= MET
    R: NDArray[Any] = np.where(met, np.abs(C), 0) / np.outer(*2 * [np.where(norm > 0, norm, np.inf)])
    return R


def _of_dense(X: NDArray[Any]) -> NDArray[Any]:
    Z = X - X.sum(axis=0, keepdims=True) / max(1, len(X))
    norm = np.sqrt(np.einsum("sk,sk->k", Z, Z))
    Z /= np.where(norm > 0, norm, 1.0)
    R: NDArray[Any] = np.abs(Z.T @ Z)
    return R
