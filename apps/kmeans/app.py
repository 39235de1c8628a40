"""k-means, started by k-means||, on all rows a clock or on batches of them.

    minimise  f(C) = sum_i min_j |x_i - C_j|^2    over C (k, d)

One table holds, for each group, the sum of its rows and their number, (k, d + 1). In a clock every worker finds the
nearest centre of each of its rows and adds what *changed* to the table: a row that went from group a to b takes itself
from a and gives itself to b. So the table is right at any staleness, the sums of the rows as last seen, and reading
it gives the centres: with all rows a clock this is Lloyd's method [Lloyd 1982]; with batches, its incremental form.
The start is one of the rows' own centres, by k-means|| [Bahmani et al. 2012, Scalable k-means++]; see start.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, ReadOptions, Roles, Schema
from yarnml.app import AppConfig, Artifacts, Batch, Columns, Count, Demo, Fraction, Model, UsageError, Worker
from yarnml.kernels.crew import Crew
from yarnml.kernels.nearest import nearest, regroup
from yarnml.ps import TableSpec
from yarnml.task import Clustering

from .start import first_centres

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

task = Clustering()
demo = Demo("sklearn", "datasets/data/digits.csv.gz", ReadOptions(header=False, roles=Roles(label=-1)))


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    k: Count = 10  # groups
    epochs: Count = 50  # passes over the data, at most
    batch: Count | None = None  # rows a clock, over all workers; none: all of them
    tol: Fraction = 1e-4  # training ends when a smaller part of the rows changes group in a pass
    patience: Count = 3  # with --valid: passes without a gain after which training stops


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    shape = (cfg.k, data.width + 1)  # sums of rows, and their number last
    return [
        TableSpec("sums", shape, dtype="float64"),
        TableSpec("start", shape, dtype="float64", staleness=0, push="lazy"),
        TableSpec("inertia", (1, 1), dtype="float64"),  # of the rows seen so far, each as it was seen last
    ]


def check(cfg: Config, data: Dataset, rows: int) -> None:
    if cfg.k > rows:
        raise UsageError(f"--k {cfg.k}: there are only {rows} rows to group; choose a k of at most {rows}")


def check_start(cfg: Config, data: Schema, model: Model) -> None:
    k, d = model["C"].shape
    if (cfg.k, data.width) != (k, d):
        raise UsageError(
            f"the model has {k} groups of rows with {d:,} features: say --k {k}, with the same {d:,} features"
        )


def start(me: Worker, cfg: Config) -> None:
    known = me.given
    C = first_centres(me, cfg.k) if known is None else known["C"]  # of fewer than k where there aren't k different rows
    if me.index == 0:
        rows = np.zeros((cfg.k, C.shape[1] + 1))
        rows[: len(C)] = np.hstack([C, np.ones((len(C), 1))])
        me.table("start").inc(None, rows)


def work(me: Worker, cfg: Config) -> None:
    sums, inertia, first = me.table("sums"), me.table("inertia"), me.table("start").get()
    group = me.state("group", lambda: np.full(len(me.share), -1, np.int32), by="rows")
    squared = me.state("squared", lambda: np.zeros(len(me.share), np.float32), by="rows")  # distance to its centre
    gone = 0
    for batch in me.batches(cfg.batch or me.rows, cfg.epochs, cfg.patience):
        C = centres(sums.get(), first)
        at = slice(batch.first, batch.first + len(batch))
        new, d2 = nearest(batch.X, C, me.crew)
        change, moved = regroup(batch.X, batch.weight, group[at], new, cfg.k, me.crew)
        sums.inc(None, change)
        inertia.inc(None, weighed(d2, batch) - weighed(squared[at], batch))
        group[at], squared[at] = new, d2
        gone += moved
        me.clock()
        f = float(inertia.get()[0, 0])  # after the clock, so with what the other workers added in it, unless stale
        me.report(loss=f, inertia=f, moved=moved)
        if batch.step + 1 == batch.steps and settled(me, cfg, batch.epoch):
            if me.sum(gone) <= cfg.tol * me.rows:
                break
            gone = 0


def weighed(d2: F32, batch: Batch) -> F64:
    """sum_i w_i d2_i, (1, 1)."""
    w = np.ones(len(d2)) if batch.weight is None else batch.weight
    return np.array([[d2.astype(np.float64) @ w]])


def settled(me: Worker, cfg: Config, epoch: int) -> bool:
    """Whether to ask all workers how many rows still move: not so often that they couldn't run apart."""
    apart = 4 if me.staleness is None else me.staleness
    return epoch % (apart + 1) == apart


def centres(sums: F64, first: F64) -> F32:
    """The groups' means; a group without rows goes back to where it started."""
    number = sums[:, -1:]
    C = np.where(number > 0.5, sums[:, :-1] / np.maximum(number, 1), first[:, :-1])
    return C[first[:, -1] > 0].astype(np.float32)


def model(me: Worker, cfg: Config) -> Artifacts:
    return {"C": centres(me.table("sums").get(), me.table("start").get())}


def predict(model: Model, batch: Batch) -> Columns:
    group, squared = nearest(batch.X, model["C"], Crew(1))
    return {"prediction": group, "distance": np.sqrt(squared)}
