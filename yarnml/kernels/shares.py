"""Shares: the topics of documents whose topics' words are known, by EM on counts; and how well they foretell words.

    r[w, k] = theta[k] phi[w, k] / sum_j theta[j] phi[w, j]      theta[k] ~ alpha[k] + sum_w n[w] r[w, k]

repeated until no theta moves by more than TOLERANCE [Asuncion et al. 2009, section 3, CVB0 without its correction].
"""

from __future__ import annotations

from math import log

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hdfs_io import CSR

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
STEPS, TOLERANCE = 60, 1e-4
FAST = {"contract", "nsz", "reassoc", "arcp"}


def shares(X: CSR, phi: F32, alpha: F32) -> F32:
    """theta (n, K) of documents X, rows of counts, under phi (words, K), the words' chances in each topic."""
    theta = np.empty((len(X), phi.shape[1]), np.float32)
    infer(X.indptr, X.indices, X.values, phi, alpha, theta)
    return theta


def shares_reference(X: CSR, phi: F32, alpha: F32) -> F64:
    """The same in numpy, to its end."""
    found = np.empty((len(X), phi.shape[1]))
    for d in range(len(X)):
        at = slice(X.indptr[d], X.indptr[d + 1])
        P, n, theta = phi[X.indices[at]].astype(np.float64), X.values[at], alpha / alpha.sum(dtype=np.float64)
        for _ in range(STEPS):
            R = P * theta
            theta = alpha + n @ (R / R.sum(axis=1, keepdims=True))
            theta /= theta.sum()
        found[d] = theta
    return found


def completion(X: CSR, phi: F32, alpha: F32) -> tuple[F64, I64]:
    """Of each document the log likelihood of one half of its tokens, under shares found from the other; and how many.

    A token's half is drawn by its word and which of the word's tokens in the document it is, the same in every run.
    """
    known, asked = halves(X.indptr, X.indices, X.values)
    theta = shares(CSR(X.indptr, X.indices, known, X.width), phi, alpha)
    return likelihood(X.indptr, X.indices, asked, phi, theta), row_sums(X.indptr, asked)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def infer(indptr: I64, indices: I32, values: F32, phi: F32, alpha: F32, theta: F32) -> None:
    longest = 0
    for d in range(len(indptr) - 1):
        longest = max(longest, indptr[d + 1] - indptr[d])
    P, n, found = np.empty((longest, len(alpha)), np.float32), np.empty(longest, np.float32), np.empty_like(alpha)
    for d in range(len(indptr) - 1):
        words = 0  # of those that count here, their chances side by side
        for z in range(indptr[d], indptr[d + 1]):
            if values[z] > 0:
                P[words], n[words] = phi[indices[z]], values[z]
                words += 1
        total = alpha.sum() + n[:words].sum()
        theta[d] = alpha / alpha.sum()
        for _ in range(STEPS):
            if step(P[:words], n[:words], alpha, total, theta[d], found) < TOLERANCE:
                break


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def step(P: F32, n: F32, alpha: F32, total: np.float32, theta: F32, found: F32) -> np.float32:
    """One step of EM on theta (K,); how far one of it moved at most. `found` (K,) is overwritten."""
    found[:] = 0
    for w in range(len(n)):
        chance = np.float32(0)
        for k in range(len(theta)):
            chance += P[w, k] * theta[k]
        part = n[w] / chance
        for k in range(len(theta)):
            found[k] += part * P[w, k]
    moved = np.float32(0)
    for k in range(len(theta)):
        now = (alpha[k] + theta[k] * found[k]) / total
        moved = max(moved, abs(now - theta[k]))
        theta[k] = now
    return moved


@njit(cache=True, nogil=True)
def likelihood(indptr: I64, indices: I32, values: F32, phi: F32, theta: F32) -> F64:
    """sum_w n[w] log sum_k theta[d, k] phi[w, k] of each document d."""
    found = np.zeros(len(indptr) - 1)
    for d in range(len(found)):
        for z in range(indptr[d], indptr[d + 1]):
            if values[z] > 0:
                chance = 0.0
                for k in range(phi.shape[1]):
                    chance += theta[d, k] * phi[indices[z], k]
                found[d] += values[z] * log(chance)
    return found


@njit(cache=True, nogil=True)
def halves(indptr: I64, indices: I32, values: F32) -> tuple[F32, F32]:
    """The counts of tokens in either half: each token goes by a bit of its hash (splitmix64)."""
    first, second = np.zeros(len(values), np.float32), np.zeros(len(values), np.float32)
    for d in range(len(indptr) - 1):
        for z in range(indptr[d], indptr[d + 1]):
            for i in range(np.int64(values[z])):
                key = (np.uint64(indices[z]) << np.uint64(32)) + np.uint64(i) + np.uint64(indptr[d + 1] - indptr[d])
                h = key * np.uint64(0x9E3779B97F4A7C15)
                h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                if (h ^ (h >> np.uint64(31))) & np.uint64(1):
                    first[z] += 1
                else:
                    second[z] += 1
    return first, second


@njit(cache=True, nogil=True)
def row_sums(indptr: I64, values: F32) -> I64:
    found = np.zeros(len(indptr) - 1, np.int64)
    for d in range(len(found)):
        for z in range(indptr[d], indptr[d + 1]):
            found[d] += np.int64(values[z])
    return found
