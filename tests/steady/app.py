"""A table that every worker pushes about, as it stands and by its own random numbers, clock after clock."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import numpy as np

from hdfs_io import Schema
from yarnml.app import AppConfig, Batch, Columns, Count, Model, NonNegative, Worker
from yarnml.ps import AdaGrad, TableSpec
from yarnml.task import Regression

task = Regression()


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    clocks: Count = 150
    pause: NonNegative = 0.02  # seconds a clock
    keeps: bool = False  # state of its own, by rows
    own_loop: bool = False  # as an app has it that doesn't know of recovery: it counts its clocks itself
    sleeps: int = -1  # clock in which worker 0 does nothing for minutes
    dies: int = -1  # clock in which worker 1 ends without a word, each time it comes there


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    return [TableSpec("W", (40, 3), function=AdaGrad(0.1)), TableSpec("mean", (1, 1), "float64")]


def start(me: Worker, cfg: Config) -> None:
    y = me.data.y
    assert y is not None
    total = me.sum(y.astype(np.float64).sum())
    if me.index == 0:
        me.table("mean").inc(None, np.array([[total / me.rows]]))


def work(me: Worker, cfg: Config) -> dict[str, float] | None:
    if cfg.own_loop:
        return counted(me, cfg)
    W, mean = me.table("W"), me.table("mean").get()[0, 0]
    own = me.state("own", lambda: np.zeros(len(me.data), np.float32), by="rows") if cfg.keeps else None
    while me.clock_now < cfg.clocks:
        if me.clock_now == cfg.dies and me.index == 1:
            os._exit(3)
        w = W.get()
        g = np.sin(w + np.float32(mean)) + me.rng.standard_normal(w.shape, np.float32)
        if own is not None:
            own += np.float32(me.rng.random())
            g += own.sum()
        W.inc(None, g.astype(np.float32))
        me.report(loss=float(np.abs(w).mean()))
        time.sleep(300 if me.clock_now == cfg.sleeps and me.index == 0 else cfg.pause)
        me.clock()
    return None


def counted(me: Worker, cfg: Config) -> dict[str, float]:
    for i in range(cfg.clocks):
        me.table("mean").get()
        me.table("mean").inc(None, np.full((1, 1), 1.0 / me.workers))
        me.report(loss=float(i))
        time.sleep(cfg.pause)
        me.clock()
    return {"clocks": round(float(me.table("mean").get()[0, 0]) - 87 / 31, 6)}  # less the mean of the labels


def predict(model: Model, batch: Batch) -> Columns:
    return {"prediction": np.full(len(batch), model["mean"][0, 0], np.float32)}
