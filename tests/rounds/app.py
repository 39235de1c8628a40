"""Lasso, 1/(2n) |y - X w|^2 + penalty |w|_1 with columns as they are, by rounds of any policy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from yarnml.app import AppConfig, Artifacts, Batch, Columns, Count, Model, NonNegative, Positive, Worker
from yarnml.sched import (
    Balance,
    Independent,
    Index,
    ModelParallel,
    Policy,
    Priority,
    Rotation,
    RoundRobin,
    Source,
    added,
    rounds,
    sampled,
)
from yarnml.task import Regression

task = Regression()
Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    rounds: Count = 200
    penalty: Positive = 0.05
    policy: Literal["priority", "turns", "rotation", "balance"] = "priority"
    depth: NonNegative = 1
    pause: NonNegative = 0.0  # seconds a round


def work(me: Worker, cfg: Config) -> dict[str, float]:
    lasso = Lasso(me, cfg)
    picked = me.state("picked", lambda: np.zeros(lasso.parameters, np.int64), by="all")
    for done in rounds(me, lasso, cfg.rounds, depth=int(cfg.depth), objective=lasso.objective):
        me.report(loss=done.objective or 0.0)
        time.sleep(cfg.pause)
    return {"objective": lasso.objective(), "picked": float(picked.sum())}


def model(me: Worker, cfg: Config) -> Artifacts:
    return {"w": Lasso(me, cfg).w, "picked": me.state("picked", np.zeros(0))}


def predict(model: Model, batch: Batch) -> Columns:
    return {"prediction": (batch.X @ model["w"]).astype(np.float32)}


@final
class Lasso(ModelParallel):
    def __init__(self, me: Worker, cfg: Config) -> None:
        assert me.data.y is not None
        self.me, self.cfg = me, cfg
        assert isinstance(me.data.X, np.ndarray)
        self.X = X = me.data.X
        self.parameters = me.schema.width
        self.w = me.state("w", lambda: np.zeros(self.parameters), by="all")
        y = me.data.y.astype(np.float64)
        self.r = me.state("r", lambda: y.copy(), by="rows")
        self.square = me.sum((X.astype(np.float64) ** 2).sum(axis=0)) / me.rows

    def schedule(self) -> Policy | Source:
        match self.cfg.policy:
            case "turns":
                return RoundRobin(1)
            case "rotation":
                return Rotation()
            case "balance":
                return Priority(6) | Balance(np.arange(self.parameters))
            case "priority":
                return Priority(6) | Independent(sampled(self.me).columns, rho=0.3)

    def update(self, picks: Index) -> Array:
        """Its rows' part of X_j' r of each pick; of each parameter where workers have picks of their own."""
        if self.cfg.policy not in {"rotation", "balance"}:
            part: Array = self.X[:, picks].T @ self.r / self.me.rows
            return part
        return np.stack([self.X.T @ self.r / self.me.rows, np.bincount(picks, minlength=self.parameters)])

    def aggregate(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return added(parts)

    def apply(self, picks: Index, total: NDArray[Any]) -> Array:
        slow = 1
        if total.ndim == 2:
            assert np.array_equal(total[1], np.bincount(picks, minlength=self.parameters)), "each is one worker's"
            slow, total = 6, total[0, picks]  # picks that may depend on each other take smaller steps
        z = self.w[picks] * self.square[picks] + total / slow
        new = np.sign(z) * np.maximum(np.abs(z) - self.cfg.penalty / slow, 0) / self.square[picks]
        change: Array = new - self.w[picks]
        self.w[picks] = new
        self.r -= self.X[:, picks] @ change
        self.me.state("picked", np.zeros(0))[picks] += 1
        return change

    def objective(self) -> float:
        return float(self.me.sum(self.r @ self.r)) / 2 / self.me.rows + self.cfg.penalty * float(np.abs(self.w).sum())
