"""Correlated columns: a design in blocks of columns that are alike, and lasso on it by parallel coordinate descent.

    minimise f(w) = 1/(2n) |y - X w|^2 + lambda |w|_1    over w (p,)

Parallel means here as everywhere: the picks of a round all go by the residual before it. Two that are alike then both
make up for the same error, and make it worse [Bradley et al. 2011, Shotgun].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from yarnml.sched import Index, ModelParallel, Policy, Source, added

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
RHO = 0.9  # the correlation of two columns of a block
PENALTY = 0.1  # of the least lambda at which w = 0
NOISE = 0.1


@final
@dataclass(frozen=True, eq=False)
class Problem:
    """Columns XT (p, n), each with mean 0 and mean square 1; y (n,) too; lambda."""

    XT: F32
    y: F32
    penalty: float

    @classmethod
    def made(cls, rows: int, columns: int, block: int, active: int) -> Problem:
        """y is a sum of `active` columns, each in a block of its own, and of noise."""
        rng = np.random.default_rng(1)
        XT = rng.standard_normal((columns, rows), np.float32) * np.float32(np.sqrt(1 - RHO))
        for lo in range(0, columns, block):
            XT[lo : lo + block] += np.float32(np.sqrt(RHO)) * rng.standard_normal(rows, np.float32)
        _standardise(XT)
        at = rng.permutation(columns // block)[:active] * block
        y = rng.standard_normal(active).astype(np.float32) @ XT[at]
        y += NOISE * y.std() * rng.standard_normal(rows, np.float32)
        _standardise(y[None])
        return cls(XT, y, PENALTY * float(np.abs(XT @ y).max()) / rows)

    def least(self) -> float:
        """f at its minimum, by cyclic coordinate descent: all columns, then those that count until they rest."""
        w, r = np.zeros(len(self.XT)), self.y.copy()
        every = np.arange(len(self.XT))
        while _sweep(self.XT, r, w, every, self.penalty) > REST:
            some = np.flatnonzero(w)
            while _sweep(self.XT, r, w, some, self.penalty) > REST:
                pass
        return value(r, w, self.penalty)

    def columns(self, numbers: Index) -> F32:
        """What dependency is measured on: of each its column's first rows, (SAMPLE, k)."""
        found: F32 = self.XT[numbers, :SAMPLE].T
        return found


REST = 1e-6  # the largest change in a sweep that is none
SAMPLE = 500  # rows, which are in no order


def value(r: F32, w: F64, penalty: float) -> float:
    """f, of the residual r."""
    return float(r.astype(np.float64) @ r) / 2 / len(r) + penalty * float(np.abs(w).sum())


@final
class Lasso(ModelParallel):
    """One round is one step of parallel coordinate descent."""

    def __init__(self, problem: Problem, policy: Policy | Source) -> None:
        self.parameters = len(problem.XT)
        self._problem, self._policy = problem, policy
        self._w, self._r = np.zeros(self.parameters), problem.y.copy()

    def schedule(self) -> Policy | Source:
        return self._policy

    def update(self, picks: Index) -> F64:
        return _products(self._problem.XT, self._r, picks)

    def aggregate(self, parts: Sequence[NDArray[Any]]) -> F64:
        return added(parts)

    def apply(self, picks: Index, total: F64) -> F64:
        z = self._w[picks] + total / len(self._r)
        new = np.sign(z) * np.maximum(np.abs(z) - self._problem.penalty, 0)
        change = new - self._w[picks]
        self._w[picks] = new
        _take(self._problem.XT, self._r, picks, change)
        return change

    def objective(self) -> float:
        return value(self._r, self._w, self._problem.penalty)


def _standardise(rows: F32) -> None:
    rows -= rows.mean(axis=1, keepdims=True)
    rows /= np.sqrt((rows**2).mean(axis=1, keepdims=True))


@njit(cache=True, nogil=True, fastmath=True)
def _products(XT: F32, r: F32, picks: Index) -> F64:
    """X_j' r of each pick j."""
    out = np.empty(len(picks))
    for i in range(len(picks)):
        x, s = XT[picks[i]], np.float32(0)
        for t in range(len(r)):
            s += x[t] * r[t]
        out[i] = s
    return out


@njit(cache=True, nogil=True, fastmath=True)
def _take(XT: F32, r: F32, picks: Index, change: F64) -> None:
    """r -= sum_j X_j change_j."""
    for i in range(len(picks)):
        x, c = XT[picks[i]], np.float32(change[i])
        if c != 0:
            for t in range(len(r)):
                r[t] -= c * x[t]


@njit(cache=True, nogil=True, fastmath=True)
def _sweep(XT: F32, r: F32, w: F64, numbers: Index, penalty: float) -> float:
    """Coordinate descent over these columns, one after the other; the largest change."""
    n, most = len(r), np.float32(0)
    for j in numbers:
        x, s = XT[j], np.float32(0)
        for t in range(n):
            s += x[t] * r[t]
        z = w[j] + s / n
        new = np.sign(z) * max(abs(z) - penalty, 0.0)
        c = np.float32(new - w[j])
        if c != 0:
            for t in range(n):
                r[t] -= c * x[t]
            most = np.maximum(most, np.abs(c))
        w[j] = new
    return float(most)
