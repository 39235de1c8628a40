"""Drawn: a topic for each token, by its document's shares of topics and its word's chances in each."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]


def drawn_reference(document: I32, word: I32, theta: F32, phi: F32, u: F64) -> I32:
    """What `drawn` does, in numpy."""
    upto = np.cumsum(theta[document].astype(np.float64) * phi[word], axis=1)
    z: I32 = (upto <= (u * upto[:, -1])[:, None]).sum(axis=1, dtype=np.int32)
    return z.clip(max=theta.shape[1] - 1)


@njit(cache=True, nogil=True)
def drawn(document: I32, word: I32, theta: F32, phi: F32, u: F64) -> I32:
    """z (tokens,), with chances theta[document] phi[word], by a number u in [0, 1) for each.

    theta (documents, K), phi (words, K).
    """
    K = theta.shape[1]
    z, upto = np.empty(len(word), np.int32), np.empty(K)
    for t in range(len(word)):
        d, w, total = document[t], word[t], 0.0
        for k in range(K):
            total += np.float64(theta[d, k]) * np.float64(phi[w, k])
            upto[k] = total
        z[t] = min(np.searchsorted(upto, u[t] * total, side="right"), K - 1)
    return z
