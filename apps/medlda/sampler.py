"""Sampler: new topics for the tokens of documents, and what their classes say about them.

In document d of N tokens and class y, with topic shares z (K,) and scores s_j = eta_j' z, for each class j
[Zhu, Chen, Perkins, Zhang 2014; a class against all others, y_j = 1 for its own, else -1]:

    zeta_j = ell - y_j s_j
    1 / lambda_j ~ InverseGaussian(1 / (c |zeta_j|), 1)
    P(topic = k | all others) ~ (n_dk + alpha) (n_wk + beta) / (n_k + V beta)
                                prod_j exp(-(lambda_j + c zeta_j(k))^2 / (2 lambda_j))

zeta_j(k) is that of the document with this token in topic k; the token itself isn't counted in any n. Counts of words
are those at the clock's beginning, so that a document's new topics depend on nothing but itself and the tables: any
number of threads or workers draws the same. The product over classes is worked out anew FRESH times a document, and at
each token of one that has no more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

F = np.float32
LANES = 16  # topics weighed at once: rows are padded to a multiple of them
FRESH = 16
UNIT = F(2.0**-24)
NEAR = F(1e-3)  # a zeta nearer to 0 counts as this
FAST = {"contract", "nsz", "reassoc"}
F32 = NDArray[np.float32]


def padded(A: NDArray[Any]) -> F32:
    """A (rows, K) with zeros up to whole lanes."""
    width = -(-A.shape[1] // LANES) * LANES
    B = np.zeros((len(A), width), np.float32)
    B[:, : A.shape[1]] = A
    return B


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def sample(
    begin: Any, word: Any, y: Any, c: Any, z: Any, phi: F32, n: F32, eta: F32, rows: F32, alpha: Any, ell: Any,
    key: Any, number: Any, share: F32, rate: F32,
) -> float:  # fmt: skip
    """Draw lambda, then topics z (tokens,) in place, of documents whose tokens are begin (docs + 1,); their hinge loss.

    y, c (docs,) class and cost; phi (words, padded K) = (n_wk + beta) / n_k, n (K,) = n_k + V beta; eta (L, padded K),
    rows (K, L) the same turned. Writes share (docs, K) = z and rate (docs, L) = 1 / lambda; `key` and number (docs,)
    make each document's random numbers.
    """
    K, L = rows.shape
    D, p, x = np.zeros(phi.shape[1], F), np.zeros(phi.shape[1], F), np.zeros(phi.shape[1], F)
    sums, s, g, h = np.zeros(phi.shape[1] // LANES, F), np.zeros(L, F), np.zeros(L, F), np.zeros(L, F)
    state, loss = np.zeros(1, np.uint64), 0.0
    for d in range(len(begin) - 1):
        a, b = begin[d], begin[d + 1]
        if a == b:
            continue
        seed(state, key, number[d])
        gamma = F(1) / F(b - a)
        D[:] = 0
        s[:] = 0
        for t in range(a, b):
            D[z[t]] += F(1)
            move(s, rows[z[t]], gamma)
        loss += augment(state, s, y[d], c[d], ell, rate[d], g, h)
        every = max(1, (b - a) // FRESH)
        for t in range(a, b):
            o, P = z[t], phi[word[t]]
            D[o] -= F(1)
            move(s, rows[o], -gamma)
            if (t - a) % every == 0:
                sway(eta, s, g, h, gamma, K, x)
            for k in range(len(p)):
                p[k] = (D[k] + alpha) * P[k] * x[k]
            p[o] = (D[o] + alpha) * max(P[o] * n[o] - F(1), F(0)) / (n[o] - F(1)) * x[o]
            k = pick(p, sums, unit(state), K)
            z[t] = k
            D[k] += F(1)
            move(s, rows[k], gamma)
        for k in range(K):
            share[d, k] = D[k] * gamma
    return loss


@njit(cache=True, nogil=True)
def assign(begin: Any, y: Any, key: Any, number: Any, L: int, K: int, z: Any) -> None:
    """First topics z (tokens,): for half of the tokens one of their document's class, k = y modulo L, else any."""
    state, own = np.zeros(1, np.uint64), max(1, K // L)
    for d in range(len(y)):
        seed(state, key, number[d])
        for t in range(begin[d], begin[d + 1]):
            if unit(state) < F(0.5):
                z[t] = (y[d] + L * int(unit(state) * own)) % K
            else:
                z[t] = int(unit(state) * K)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def move(s: F32, row: F32, by: Any) -> None:
    """s += by row."""
    for j in range(len(s)):
        s[j] += by * row[j]


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def augment(state: Any, s: F32, y: Any, c: Any, ell: Any, rate: F32, g: F32, h: F32) -> float:
    """Draw rate = 1 / lambda (L,) of one document; its hinge loss, sum_j max(0, zeta_j).

    The logarithm of the classes' factor is then g' s - h' s^2 / 2, but for a constant.
    """
    loss = 0.0
    if c == 0:  # a document of weight 0 has no say
        rate[:], g[:], h[:] = 0, 0, 0
        return loss
    for j in range(len(s)):
        side = F(1) if y == j else F(-1)
        zeta = ell - side * s[j]
        loss += max(F(0), zeta)
        rate[j] = inverse_gaussian(state, F(1) / (c * max(abs(zeta), NEAR)))
        g[j] = side * c * (F(1) + c * ell * rate[j])
        h[j] = c * c * rate[j]
    return loss


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def sway(eta: F32, s: F32, g: F32, h: F32, gamma: Any, K: int, x: F32) -> None:
    """x[k] = the classes' factor if a token that isn't counted in the scores s has topic k, divided by the largest."""
    x[:] = 0
    for j in range(len(s)):
        slope, bend = gamma * (g[j] - h[j] * s[j]), F(0.5) * h[j] * gamma * gamma
        for k in range(len(x)):
            x[k] += eta[j, k] * (slope - bend * eta[j, k])
    top = x[0]
    for k in range(1, K):
        top = max(top, x[k])
    for k in range(K):
        x[k] = np.exp(x[k] - top)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def pick(p: F32, sums: F32, u: Any, K: int) -> int:
    """The topic k < K at which the running sum of weights p (whole lanes) passes u times their sum; `sums` is room."""
    total = F(0)
    for b in range(len(sums)):
        some = F(0)
        for k in range(b * LANES, (b + 1) * LANES):
            some += p[k]
        total += some
        sums[b] = total
    left, b = u * total, 0
    for i in range(len(sums) - 1):
        b += sums[i] <= left
    left -= sums[b - 1] if b > 0 else F(0)
    at, some = 0, F(0)
    for k in range(b * LANES, (b + 1) * LANES - 1):
        some += p[k]
        at += some <= left
    return min(b * LANES + at, K - 1)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def inverse_gaussian(state: Any, mu: Any) -> Any:
    """One draw with mean mu and shape 1 [Michael, Schucany, Haas 1976], by the root that doesn't cancel."""
    radius = np.sqrt(F(-2) * np.log(F(1) - unit(state)))  # a normal number [Box, Muller 1958]
    normal = radius * np.cos(F(2 * np.pi) * unit(state))
    w = mu * normal * normal
    low = mu / (F(1) + F(0.5) * (w + np.sqrt(w * (F(4) + w))))
    return low if unit(state) * (mu + low) <= mu else mu * mu / low


@njit(cache=True, nogil=True)
def seed(state: Any, key: Any, number: int) -> None:
    """Begin the random numbers of one document [splitmix64: Steele, Lea, Flood 2014]."""
    x = key + np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state[0] = (x ^ (x >> np.uint64(31))) | np.uint64(1)


@njit(cache=True, nogil=True)
def unit(state: Any) -> Any:
    """The next random number in [0, 1) [xorshift: Marsaglia 2003]."""
    s = state[0]
    s ^= s << np.uint64(13)
    s ^= s >> np.uint64(7)
    s ^= s << np.uint64(17)
    state[0] = s
    return F(s >> np.uint64(40)) * UNIT
