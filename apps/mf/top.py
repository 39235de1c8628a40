"""Top: predictions of single pairs, and the best items of a user."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
CELLS = 1 << 22  # predictions held at once


@numba.njit(nogil=True, cache=True, fastmath=True)
def pairs(u: I32, i: I32, P: F32, Q: F32, mean: np.float32) -> F32:
    """mean + b_u + b_i + p_u . q_i for each pair; of one that isn't known, -1, nothing is added."""
    k = P.shape[1] - 1
    out = np.empty(len(u), np.float32)
    for t in range(len(u)):
        x = mean
        if u[t] >= 0:
            x += P[u[t], k]
        if i[t] >= 0:
            x += Q[i[t], k]
        if u[t] >= 0 and i[t] >= 0:
            for c in range(k):
                x += P[u[t], c] * Q[i[t], c]
        out[t] = x
    return out


def best(u: I32, P: F32, Q: F32, n: int, seen: tuple[NDArray[Any], I32] | None) -> tuple[NDArray[np.int64], F32]:
    """The n items (rows, n) that suit each user best, and how well, nan where there are no more than were `seen`.

    Equally good ones come in the items' order. `seen`: where each user's items begin, and the items.
    """
    n = min(n, len(Q))
    item, value = np.empty((len(u), n), np.int64), np.empty((len(u), n), np.float32)
    step = max(1, CELLS // max(1, len(Q)))
    for lo in range(0, len(u), step):
        some = slice(lo, lo + step)
        S = scores(u[some], P, Q)
        if seen is not None:
            leave_out(S, u[some], *seen)
        item[some] = chosen(S, n)
        value[some] = np.take_along_axis(S, item[some], axis=1)
    return item, np.where(np.isneginf(value), np.float32(np.nan), value)


def scores(u: I32, P: F32, Q: F32) -> F32:
    """b_u + b_i + p_u . q_i (rows, items)."""
    X = np.where(u[:, None] >= 0, P[u], np.float32(0))
    S: F32 = X[:, :-1] @ Q[:, :-1].T
    return S + Q[:, -1] + X[:, -1:]


def chosen(S: F32, n: int) -> NDArray[np.int64]:
    """The columns of each row's n largest numbers, falling; of equal ones the first."""
    if n < S.shape[1]:
        least = -np.partition(-S, n - 1, axis=1)[:, n - 1 : n]
        above, equal = least < S, least == S
        room = n - above.sum(axis=1, keepdims=True)
        taken = above | (equal & (np.cumsum(equal, axis=1) <= room))
        columns = np.nonzero(taken)[1].reshape(len(S), n)
    else:
        columns = np.broadcast_to(np.arange(n), S.shape)
    order = np.argsort(-np.take_along_axis(S, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def leave_out(S: F32, u: I32, indptr: NDArray[Any], items: I32) -> None:
    """-inf for what each row's user has rated."""
    for row, user in enumerate(u.tolist()):
        if user >= 0:
            S[row, items[indptr[user] : indptr[user + 1]]] = -np.inf
