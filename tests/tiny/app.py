"""The mean of the labels, gathered in one row of one table; every pass adds nothing but a clock."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from hdfs_io import Schema
from yarnml.app import AppConfig, Batch, Columns, Count, Model, NonNegative, Worker
from yarnml.ps import TableSpec
from yarnml.task import Regression

task = Regression()


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    epochs: Count = 3  # clocks
    pause: NonNegative = 0.0  # seconds a clock
    fail: bool = False  # raise at the first clock


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    return [TableSpec("m", (1, 2))]


def work(me: Worker, cfg: Config) -> None:
    y = me.data.y
    assert y is not None
    for epoch in range(cfg.epochs):
        if cfg.fail:
            raise RuntimeError("asked to fail")
        if epoch == 0:
            me.table("m").inc(None, np.array([[y.sum(), len(y)]], np.float32))
        me.report(epoch=epoch, loss=1.0 / (1 + epoch))
        time.sleep(cfg.pause)
        me.clock()


def predict(model: Model, batch: Batch) -> Columns:
    total, count = model["m"][0]
    return {"prediction": np.full(len(batch), total / count, np.float32)}
