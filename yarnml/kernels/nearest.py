"""Nearest: the nearest of k centres to each row, and the sums of rows by centre; rows dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io import CSR
from yarnml.kernels.crew import Crew
from yarnml.kernels.linear import scores
from yarnml.kernels.sparse import squares

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
F64 = NDArray[np.float64]
BLOCK = 1024  # rows whose scores under all centres stay in the cache until the best is found
FAST = {"contract", "nsz", "reassoc"}


def nearest_reference(X: F32, C: F32) -> tuple[I32, F64]:
    """What `nearest` does to dense rows, in numpy."""
    D = ((X[:, None, :].astype(np.float64) - C[None, :, :]) ** 2).sum(axis=2)
    return D.argmin(axis=1).astype(np.int32), D.min(axis=1)


def nearest(X: F32 | CSR, C: F32, crew: Crew) -> tuple[I32, F32]:
    """For each row of X (n, d) the number of its nearest centre in C (k, d), the first among equals, and their squared
    Euclidean distance."""
    label, distance = np.empty(len(X), np.int32), np.empty(len(X), np.float32)
    origin = None if isinstance(X, CSR) else far_origin(C)
    V = np.ascontiguousarray((C if origin is None else C - origin).T)
    c = -0.5 * np.einsum("dk,dk->k", V, V, dtype=np.float64).astype(np.float32)  # argmin |x - c|^2 = argmax x'c - c'c/2

    def part(lo: int, hi: int) -> None:
        for a in range(lo, hi, BLOCK):
            b = min(hi, a + BLOCK)
            rows = X.slice(a, b) if isinstance(X, CSR) else X[a:b]
            near = rows if origin is None or isinstance(rows, CSR) else rows - origin
            first_largest(scores(near, V, c), label[a:b], distance[a:b])
            if isinstance(rows, CSR):
                score = distance[a:b].copy()
                squares(rows.indptr, rows.values, distance[a:b])
                distance[a:b] = np.maximum(distance[a:b] - 2 * score, 0)
            else:
                distances(rows, C, label[a:b], distance[a:b])

    crew.each(part, len(X))
    return label, distance


def far_origin(C: F32) -> F32 | None:
    """The middle of the centres, if it is so far from zero that float32 scores would lose what tells them apart."""
    middle: F32 = C.mean(axis=0, dtype=np.float64).astype(np.float32)
    wide = ((C - middle).astype(np.float64) ** 2).sum(axis=1).max()
    return middle if (middle.astype(np.float64) ** 2).sum() > 16 * wide else None


def regroup(X: F32 | CSR, weight: F32 | None, old: I32, new: I32, k: int, crew: Crew) -> tuple[F64, int]:
    """What rows going from group `old` to `new` (n,) change of the groups' sums, (k, d + 1), with the groups' weight
    last; and how many rows went. -1 is no group."""
    d = X.width if isinstance(X, CSR) else X.shape[1]
    w = np.zeros(0, np.float32) if weight is None else weight

    def part(lo: int, hi: int) -> tuple[F64, int]:
        D = np.zeros((k, d + 1))
        some = w[lo:hi]
        if isinstance(X, CSR):
            return D, regroup_sparse(X.indptr[lo : hi + 1], X.indices, X.values, some, old[lo:hi], new[lo:hi], D)
        return D, regroup_dense(X[lo:hi], some, old[lo:hi], new[lo:hi], D)

    D, moved = zip(*crew.each(part, len(X)), strict=True)
    return sum(D[1:], D[0]), sum(moved)


@njit(cache=True, nogil=True, error_model="numpy")
def first_largest(Z: F32, label: I32, value: F32) -> None:
    """The first of the largest scores in each column of Z (k, n), and which it is."""
    for i in range(Z.shape[1]):
        label[i] = 0
        value[i] = Z[0, i]
    for k in range(1, Z.shape[0]):
        for i in range(Z.shape[1]):
            more = Z[k, i] > value[i]
            label[i] = k if more else label[i]
            value[i] = Z[k, i] if more else value[i]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def distances(X: F32, C: F32, label: I32, out: F32) -> None:
    """out (n,) = |X - C[label]|^2 by row, from the differences: scores alone would cancel close to a centre."""
    for i in range(X.shape[0]):
        c = C[label[i]]
        total = np.float32(0)
        for j in range(X.shape[1]):
            total += (X[i, j] - c[j]) * (X[i, j] - c[j])
        out[i] = total


@njit(cache=True, nogil=True, error_model="numpy")
def regroup_dense(X: F32, w: F32, old: I32, new: I32, D: F64) -> int:
    """`regroup` of dense rows into D; w (0,) means that all rows weigh 1."""
    moved, d = 0, X.shape[1]
    for i in range(X.shape[0]):
        if old[i] == new[i]:
            continue
        moved += 1
        weight = 1.0 if len(w) == 0 else np.float64(w[i])
        for group, sign in ((new[i], weight), (old[i], -weight)):
            if group >= 0:
                for j in range(d):
                    D[group, j] += sign * X[i, j]
                D[group, d] += sign
    return moved


@njit(cache=True, nogil=True, error_model="numpy")
def regroup_sparse(indptr: Any, indices: Any, values: Any, w: F32, old: I32, new: I32, D: F64) -> int:
    """`regroup` of CSR rows into D."""
    moved, d = 0, D.shape[1] - 1
    for i in range(len(indptr) - 1):
        if old[i] == new[i]:
            continue
        moved += 1
        weight = 1.0 if len(w) == 0 else np.float64(w[i])
        for group, sign in ((new[i], weight), (old[i], -weight)):
            if group >= 0:
                for p in range(indptr[i], indptr[i + 1]):
                    D[group, indices[p]] += sign * values[p]
                D[group, d] += sign
    return moved
