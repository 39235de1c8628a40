"""Grams: the Hessian among picked columns, of which those of earlier rounds are kept while they hold."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Index = NDArray[np.int64]
NO_LENGTH = 1e-12  # of a column's mean square: a variance below is rounding


@final
class Grams:
    """Columns in the order in which they came, so that only the new ones' products are summed."""

    def __init__(self, lasting: bool, most: int) -> None:
        """`lasting`: the Hessian is the same everywhere; `most`: columns that are kept."""
        self._lasting, self._most = lasting, most
        self._columns: Index = np.zeros(0, np.int64)
        self._G: F64 = np.zeros((0, 1))  # (m, m + 1): with each other, and with ones

    def wanted(self, picks: Index) -> tuple[Index, int]:
        """Columns, and how many of them are known: the others' products with all of them are to be summed."""
        new = np.setdiff1d(picks, self._columns)
        if not self._lasting or len(self._columns) + len(new) > self._most:
            self._columns, self._G, new = np.zeros(0, np.int64), np.zeros((0, 1)), np.sort(picks)
        return np.append(self._columns, new), len(self._columns)

    def grow(self, columns: Index, rows: F64) -> None:
        """The sums (new, m + 1) of what was wanted, whose upper half counts among the new ones themselves."""
        old, m = len(self._columns), len(columns)
        G = np.empty((m, m + 1))
        G[:old, :old], G[:old, -1] = self._G[:, :-1], self._G[:, -1]
        G[old:], G[:old, old:m] = rows, rows[:, :old].T
        upper = np.triu(rows[:, old:m])
        G[old:, old:m] = upper + np.triu(upper, 1).T
        self._columns, self._G = columns, G

    def among(self, picks: Index, curve: float) -> tuple[F64, F64]:
        """(G, x): of the picks (k, k), the intercept eliminated where `curve`, its own, isn't 0; with ones (k,).

        Columns that don't vary have zeros.
        """
        order = np.argsort(self._columns)
        at = order[np.searchsorted(self._columns, picks, sorter=order)]
        G, x = self._G[np.ix_(at, at)], self._G[at, -1]
        length = G.diagonal().copy()
        if curve > 0:
            G -= np.outer(x, x) / curve
        flat = G.diagonal() <= NO_LENGTH * length
        G[flat], G[:, flat] = 0, 0
        return G, x
