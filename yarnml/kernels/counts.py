"""Counts: rows of word counts, checked, and spelt out as tokens: one for each time that a word stands in a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io import CSR
from yarnml.errors import RowError

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
MOST = 2.0**24  # up to which float32 holds every whole number


def counted(X: F32 | CSR, name: Callable[[int], str] = str) -> CSR:
    """Rows of counts, sparse; RowError for the first one that holds anything else, in the feature that it `name`s."""
    X = X if isinstance(X, CSR) else _sparse(X)
    at = odd(X.values, np.float32(MOST))
    if at >= 0:
        raise RowError(
            int(np.searchsorted(X.indptr, at, side="right")) - 1,
            f"holds {X.values[at]:g} of feature {name(int(X.indices[at]))}: topics are learned from counts of words, "
            "whole numbers from 0 to 2^24; leave other columns out with --features",
        )
    return X


def tokens(X: CSR) -> tuple[I64, I32]:
    """Where each row's tokens begin, and the last one's end; the word of each token, rising in a row."""
    ends = np.concatenate([np.zeros(1), np.cumsum(X.values, dtype=np.float64)])
    return ends[X.indptr].astype(np.int64), np.repeat(X.indices, X.values.astype(np.int64))


def odd_numpy(values: F32, most: np.float32) -> int:
    wrong = ~((values >= 0) & (values <= most) & (values == np.rint(values)))
    return int(wrong.argmax()) if wrong.any() else -1


@njit(cache=True, nogil=True)
def odd(values: Any, most: Any) -> int:
    """The place of the first value that is no whole number from 0 to `most`; -1 if there is none."""
    for i in range(len(values)):
        if not (0 <= values[i] <= most) or values[i] != np.rint(values[i]):
            return i
    return -1


def _sparse(X: F32) -> CSR:
    row, column = np.nonzero(X)
    indptr = np.searchsorted(row, np.arange(len(X) + 1)).astype(np.int64)
    return CSR(indptr, column.astype(np.int32), X[row, column], X.shape[1])
