"""Learning problems of the benches: data in memory, one worker's step on a batch, and the loss that it is to lower."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from yarnml.ps import Tables, TableSpec, normal, zeros

F32 = NDArray[np.float32]
BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data"  # real data sets, where they lie there


class Problem(ABC):
    """One that `workers` solve together, each on its own rows of the data; `source` says whose data it is."""

    source: str

    @abstractmethod
    def tables(self) -> list[TableSpec]:
        """The parameters."""

    @abstractmethod
    def step(self, tables: Tables, worker: int, workers: int, clock: int) -> list[tuple[str, Any, F32]]:
        """Increments (table, rows, delta) of one clock, from rows that are read."""

    @abstractmethod
    def loss(self, parameters: dict[str, F32]) -> float:
        """On all data, of whole tables by name."""


@final
class Logistic(Problem):
    """Softmax regression of two classes by SGD, as in apps/mlr; on a9a (Platt 1998), else on data of its shape."""

    BATCH, LR = 128, 0.6  # rows a worker's clock; step size

    def __init__(self) -> None:
        file = BESIDE / "a9a" / "a9a"
        self.source = "a9a" if file.exists() else "rows like a9a's"
        X, self.y = _libsvm(file, 123) if file.exists() else _made_up(32_561, 123)
        self.X = np.hstack([X, np.ones((len(X), 1), np.float32)])  # (n, d + 1)

    def tables(self) -> list[TableSpec]:
        return [TableSpec("W", (self.X.shape[1], 2), init=zeros())]

    def step(self, tables: Tables, worker: int, workers: int, clock: int) -> list[tuple[str, Any, F32]]:
        rows = _batch(len(self.y), self.BATCH, worker, workers, clock)
        X, P = self.X[rows], _softmax(self.X[rows] @ tables.table("W").get())
        P[np.arange(len(rows)), self.y[rows]] -= 1
        return [("W", None, (-self.LR / (workers * len(rows))) * (X.T @ P))]

    def loss(self, parameters: dict[str, F32]) -> float:
        P = _softmax(self.X @ parameters["W"])
        return float(-np.log(np.maximum(P[np.arange(len(self.y)), self.y], 1e-30)).mean())


@final
class Factorisation(Problem):
    """Ratings r_ui ~ mean + L_u R_i by SGD (Koren et al. 2009); on MovieLens' latest-small, else on made up ones."""

    L2, RANK = 0.02, 8  # penalty, columns of L and R

    def __init__(self, batch: int = 1000, lr: float = 0.03) -> None:
        """`batch`: ratings of a worker's clock; `lr`: step size."""
        self._batch, self._lr = batch, lr
        file = BESIDE / "ml-latest-small" / "ratings.csv"
        self.source = "ml-latest-small" if file.exists() else "made up ratings"
        self.users, self.items, ratings = _ratings(file) if file.exists() else _made_up_ratings()
        self.r = ratings - ratings.mean()

    def tables(self) -> list[TableSpec]:
        n, m = int(self.users.max()) + 1, int(self.items.max()) + 1
        return [TableSpec("L", (n, self.RANK), init=normal(0.3)), TableSpec("R", (m, self.RANK), init=normal(0.3))]

    def step(self, tables: Tables, worker: int, workers: int, clock: int) -> list[tuple[str, Any, F32]]:
        rows = _batch(len(self.r), self._batch, worker, workers, clock)
        users, u = np.unique(self.users[rows], return_inverse=True)
        items, i = np.unique(self.items[rows], return_inverse=True)
        L, R = tables.table("L").get(users)[u], tables.table("R").get(items)[i]  # (batch, rank)
        e = (self.r[rows] - (L * R).sum(axis=1))[:, None]
        dL, dR = np.zeros((len(users), self.RANK), np.float32), np.zeros((len(items), self.RANK), np.float32)
        np.add.at(dL, u, self._lr * (e * R - self.L2 * L))
        np.add.at(dR, i, self._lr * (e * L - self.L2 * R))
        return [("L", users, dL), ("R", items, dR)]

    def loss(self, parameters: dict[str, F32]) -> float:
        L, R = parameters["L"][self.users], parameters["R"][self.items]
        with np.errstate(over="ignore", invalid="ignore"):  # one that diverges has no loss, and needs no warning
            return float(np.sqrt(np.mean((self.r - (L * R).sum(axis=1)) ** 2)))


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "mlr": Logistic,
    "mf": Factorisation,
    "mf of large batches": lambda: Factorisation(batch=3000, lr=0.02),
}


def _batch(n: int, size: int, worker: int, workers: int, clock: int) -> NDArray[np.int64]:
    """Which of the worker's rows, those at worker, worker + workers, ..., are this clock's."""
    rng = np.random.default_rng([worker, clock])
    return worker + workers * rng.integers(0, (n - worker - 1) // workers + 1, size)


def _softmax(Z: F32) -> F32:
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    P: F32 = E / E.sum(axis=1, keepdims=True)
    return P


def _libsvm(file: Path, width: int) -> tuple[F32, NDArray[np.int64]]:
    lines = [line.split() for line in file.read_text().splitlines()]
    X, y = np.zeros((len(lines), width), np.float32), np.zeros(len(lines), np.int64)
    for i, (label, *pairs) in enumerate(lines):
        y[i] = label == "+1"
        for pair in pairs:
            j, value = pair.split(":")
            X[i, int(j) - 1] = float(value)
    return X, y


def _made_up(n: int, width: int) -> tuple[F32, NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    X = (rng.random((n, width)) < 0.113 * np.linspace(0.2, 1.8, width)).astype(np.float32)
    score = X @ rng.normal(0, 1, width) - 1.5
    return X, (score + rng.logistic(size=n) > 0).astype(np.int64)


def _ratings(file: Path) -> tuple[NDArray[np.int64], NDArray[np.int64], F32]:
    table = np.loadtxt(file, delimiter=",", skiprows=1, usecols=(0, 1, 2), dtype=np.float64)
    users, items = (np.unique(table[:, j], return_inverse=True)[1].astype(np.int64) for j in (0, 1))
    return users, items, table[:, 2].astype(np.float32)


def _made_up_ratings() -> tuple[NDArray[np.int64], NDArray[np.int64], F32]:
    rng = np.random.default_rng(0)
    n, users, items = 100_000, 610, 9_724
    u, i = rng.integers(0, users, n), (items * rng.random(n) ** 3).astype(np.int64)  # few items are rated often
    L, R = rng.normal(0, 0.6, (users, 4)), rng.normal(0, 0.6, (items, 4))
    return u, i, ((L[u] * R[i]).sum(axis=1) + rng.normal(0, 0.7, n)).astype(np.float32)
