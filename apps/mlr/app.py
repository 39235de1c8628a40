"""Multiclass logistic regression, on minibatches, by AdaGrad on the servers.

    minimise  f(W) = 1/n sum_i -log softmax(x_i' W)[y_i] + l2/2 |W|^2    over W (d + 1, K), its last row not in |W|

where x_i is row i with every feature shifted and scaled, x = (raw - shift) / spread, and a last 1 for the bias:
dense features by their mean and standard deviation; sparse ones by their largest value alone, which keeps zeros zero.
In a clock the workers read W, add up their parts of the gradient of f on the batch, and the servers take the step
[Duchi, Hazan, Singer 2011, Adaptive subgradient methods]. The model is the mean of W over the second half of the last
pass [Polyak, Juditsky 1992], which is far closer to the minimum than the last W; it is kept in the raw features' units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdfs_io import ReadOptions, Roles, Schema
from yarnml.app import (
    AppConfig,
    Artifacts,
    Batch,
    Columns,
    Count,
    Demo,
    Model,
    NonNegative,
    Positive,
    UsageError,
    Worker,
)
from yarnml.app.columns import Scale, measure
from yarnml.kernels.linear import back, scores
from yarnml.kernels.softmax import residual, softmax
from yarnml.ps import AdaGrad, TableSpec
from yarnml.task import Classification

F32 = NDArray[np.float32]
ALL = np.zeros(0, np.float32)  # weights of rows that all weigh 1
SNAPSHOTS = 32  # of W in the mean: more of them bring nothing

task = Classification()
demo = Demo("sklearn", "datasets/data/digits.csv.gz", ReadOptions(header=False, roles=Roles(label=-1)), test=0.2)


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    epochs: Count | None = None  # passes over the data; none: 20, on small data as many as make 2,000 clocks
    batch: Count | None = None  # rows a clock, over all workers; none: about 100 clocks a pass
    lr: Positive = 0.2  # step size of AdaGrad
    l2: NonNegative | None = None  # strength of the penalty on large weights; none: 1 / rows
    average: bool = True  # the model is the mean over half a pass, not the last W
    patience: Count = 3  # with --valid: passes without a gain after which training stops


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    shape = (data.width + 1, data.classes)  # the bias is the last row
    return [
        TableSpec("W", shape, function=AdaGrad(cfg.lr)),
        TableSpec("mean", shape, push="lazy"),
        TableSpec("scale", (data.width + 1, 2), dtype="float64", staleness=0, push="lazy"),
    ]


def start(me: Worker, cfg: Config) -> None:
    scale = measure(me)  # the same for all
    if me.index == 0:
        me.table("scale").inc(None, scale.rows())


def first(me: Worker, scale: Scale) -> F32 | None:
    """What the model of --start-from weighs scaled features by, to which the tables add; None: nothing."""
    if me.job.start_from is None:
        return None

    def unfolded() -> F32:
        assert me.given is not None
        V = me.given["W"]
        return scale.unfold(V[:-1], V[-1]).astype(np.float32)

    return me.state("first", unfolded, by="all")


def work(me: Worker, cfg: Config) -> None:
    W, mean = me.table("W"), me.table("mean")
    scale = Scale.of(me.table("scale").get())
    begun = first(me, scale)
    l2 = 1 / me.rows if cfg.l2 is None else cfg.l2
    for batch in me.batches(cfg.batch, cfg.epochs, cfg.patience):
        V = W.get(batch.columns)
        if begun is not None:
            V = V + (begun if batch.columns is None else begun[batch.columns])
        G, loss = gradient(V, batch, scale.at(batch.columns), me)
        G[:-1] += np.float32(l2 / me.workers) * V[:-1]
        W.inc(batch.columns, G)
        if me.index == 0 and (t := snapshot(batch)):
            M = mean.get()
            mean.inc(None, (W.get() - M) / np.float32(t))  # at t = 1 it begins anew
        me.report(loss=loss)
        me.clock()


def gradient(W: F32, batch: Batch, scale: Scale, me: Worker) -> tuple[F32, float]:
    """This worker's part of the gradient of f on the batch, without the penalty, and its rows' mean loss."""
    V, c = scale.fold(W)

    def part(lo: int, hi: int) -> tuple[F32, F32, float]:
        some = batch.slice(lo, hi)
        assert some.y is not None
        R = scores(some.X, V, c)  # (K, n)
        loss = residual(R, some.y, ALL if some.weight is None else some.weight)
        return back(some.X, R), R.sum(axis=1), loss

    A, r, loss = (sum(each[1:], each[0]) for each in zip(*me.crew.each(part, len(batch)), strict=True))
    G = np.vstack([(A - scale.shift[:, None] * r) * scale.inverse[:, None], r])
    return G.astype(np.float32) / np.float32(batch.rows), loss / max(1, len(batch))


def snapshot(batch: Batch) -> int:
    """Which of the snapshots of its pass the W of this batch is, from 1; 0 if it is none."""
    half = batch.steps // 2
    every = max(1, (batch.steps - half) // SNAPSHOTS)
    later, rest = divmod(batch.step - half, every)
    return later + 1 if later >= 0 and rest == 0 else 0


def model(me: Worker, cfg: Config) -> Artifacts:
    scale = Scale.of(me.table("scale").get())
    W, begun = me.table("mean" if cfg.average else "W").get(), first(me, scale)
    V, c = scale.fold(W if begun is None else W + begun)
    return {"W": np.vstack([V, c])}


def predict(model: Model, batch: Batch) -> Columns:
    W = model["W"]
    P = np.empty((len(batch), W.shape[1]), np.float32)
    softmax(scores(batch.X, W[:-1], W[-1]), P)
    return {"probability": P}


def coefficients(model: Model) -> F32:
    return model["W"]


def check_start(cfg: Config, data: Schema, model: Model) -> None:
    has, wants = model["W"].shape, (data.width + 1, data.classes)
    if has != wants:
        raise UsageError(
            f"the model has {has[0] - 1:,} features and {has[1]} classes, and the data {data.width:,} and "
            f"{data.classes}: start from a model of such data"
        )
