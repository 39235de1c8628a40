"""The processes of the table bench that learn: logistic regression over tables, and by the same kernels alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
import numpy.typing as npt

from yarnml.bench.pair import Trial, main
from yarnml.comm.company import Alone
from yarnml.kernels.linear import back, scores
from yarnml.kernels.softmax import residual
from yarnml.ps import AdaGrad, TableSpec, local_client

WIDTH, CLASSES, BATCH, CLOCKS = 100, 10, 4096, 200
LR = 0.1
F32 = npt.NDArray[np.float32]
NONE = np.zeros(0, np.float32)  # weights of rows that all weigh 1


def _data() -> tuple[F32, npt.NDArray[np.int32]]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((CLOCKS * BATCH // 10, WIDTH), np.float32)
    return X, (X @ rng.standard_normal((WIDTH, CLASSES), np.float32)).argmax(axis=1).astype(np.int32)


def _gradient(X: F32, y: npt.NDArray[np.int32], W: F32) -> F32:
    """Of the batch's mean loss, (d + 1, K)."""
    R = scores(X, W[:-1], W[-1])
    residual(R, y, NONE)
    return np.vstack([back(X, R), R.sum(axis=1)]).astype(np.float32) / np.float32(len(y))


def _learn(read: Callable[[], F32], write: Callable[[F32], None]) -> Trial:
    X, y = _data()
    starts = range(0, len(X) - BATCH + 1, BATCH)

    def trial() -> float:
        start = perf_counter()
        for clock in range(CLOCKS):
            at = starts[clock % len(starts)]
            write(_gradient(X[at : at + BATCH], y[at : at + BATCH], read()))
        return CLOCKS / (perf_counter() - start)

    return trial


def tables(_: str) -> Trial:
    spec = TableSpec("W", (WIDTH + 1, CLASSES), function=AdaGrad(LR))
    local = local_client([spec], seed=0, company=Alone(lambda _: None, lambda: None))
    W = local.table("W")

    def write(G: F32) -> None:
        W.inc(None, G)
        local.clock()

    return _learn(W.get, write)


def alone(_: str) -> Trial:
    """AdaGrad written out in numpy."""
    W = np.zeros((WIDTH + 1, CLASSES), np.float32)
    S = np.zeros_like(W)

    def write(G: F32) -> None:
        nonlocal W, S
        S += G * G
        W -= LR * G / np.sqrt(S + np.float32(1e-8))

    return _learn(lambda: W, write)


def nobody() -> None:
    """Both sides need no server."""
    print("nowhere", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(dict.fromkeys(("tables", "alone"), nobody), {"tables": tables, "alone": alone})
