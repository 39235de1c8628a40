"""Linear support vector machine, by dual coordinate descent with shrinking until a duality gap is small.

    minimise  f(w) = 1/2 |w|^2 + C sum_i c_i max(0, 1 - y_i w' x_i)^p    over w (d + 1,), p = 1 (L1 loss) or 2 (L2)

where c_i is row i's weight, y_i is 1 or -1, and x_i ends in a constant for the bias, whose weight is in |w|, as is
LIBLINEAR's with -B 1. Of more than two classes each is told from the rest, by a w of its own. The dual has a variable
a row,

    maximise  sum_i alpha_i - D_i alpha_i^2 / 2 - 1/2 |w|^2    over 0 <= alpha_i <= U_i,  w = sum_i y_i alpha_i x_i

(U_i = C c_i and D_i = 0, or no bound and D_i = 1 / 2 C c_i), which is maximised in one alpha_i after the other, on all
rows that still move [Hsieh, Chang, Lin, Keerthi, Sundararajan 2008, A dual coordinate descent method for large-scale
linear SVM]. Several workers do so on their own rows, each from the same w, and add what they found; each takes the
others' steps to be as long as its own, so that the sum is safe [Ma, Smith, Jaggi, Jordan, Richtarik, Takac 2015, Adding
vs. averaging in distributed primal-dual optimization, sigma' = workers, gamma = 1]. Passes have momentum (momentum.py),
which takes back much of what that costs. What f is above the dual bounds what is still to gain. The model's weights are
those of the raw features, whether or not they were scaled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hdfs_io import ReadOptions, Roles, Schema
from yarnml.app import AppConfig, Artifacts, Batch, Columns, Count, Demo, Model, NonNegative, Positive, Worker
from yarnml.app.columns import Scale, measure
from yarnml.kernels.softmax import softmax
from yarnml.ps import TableSpec
from yarnml.task import Classification

from .dual import Problem
from .duals import Duals
from .sureness import score, sureness

F64 = NDArray[np.float64]
TURNS = 8  # clocks of a pass, at most, where there are several workers
LEAST = 4096  # rows that each has in one, at least
WARM = 20  # passes over rows at no bound, from weights that are known
LONGER = 1.5  # times as many passes, at most, until the gap is measured again

task = Classification()
demo = Demo("sklearn", "datasets/data/digits.csv.gz", ReadOptions(header=False, roles=Roles(label=-1)), test=0.2)


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    C: Positive = 1.0  # what a row on the wrong side costs, beside large weights
    loss: Literal["l1", "l2"] = "l1"  # of a row: the hinge, or its square
    bias: NonNegative = 1.0  # the constant that each row ends in; 0: the classes are parted through the origin
    tol: Positive = 3e-4  # training ends when the duality gap is so small a part of the objective
    scale: bool | None = None  # learn from features that are shifted and scaled to be alike; none: dense ones are
    epochs: Count = 1000  # passes over the rows, at most
    patience: Count = 5  # with --valid: measurements of the gap without a gain after which training stops


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    # w has to be the sum over all rows, whatever staleness the run allows; the bias is its last row
    w = TableSpec("w", (data.width + 1, len(positives(data))), dtype="float64", staleness=0)
    scale = TableSpec("scale", (data.width + 1, 2), dtype="float64", staleness=0, push="lazy")
    return [w, scale] if scales(cfg, data) else [w]


def scales(cfg: Config, data: Schema) -> bool:
    return not data.sparse if cfg.scale is None else cfg.scale


def positives(data: Schema) -> range:
    """The classes that are told from the rest."""
    return range(1, 2) if data.classes == 2 else range(data.classes)


def start(me: Worker, cfg: Config) -> None:
    scaled = scales(cfg, me.schema)
    scale = measure(me) if scaled else Scale.none(me.schema.width)  # the same for all
    if scaled and me.index == 0:
        me.table("scale").inc(None, scale.rows())
    raw = me.table("w").get()
    if raw.any():  # --start-from
        W = scale.unfold(raw[:-1], raw[-1])
        W[-1] /= cfg.bias or np.inf
        duals = duals_of(me, cfg, scale)
        duals.guess(np.ascontiguousarray(W.T))
        mine = duals.weights().T
        me.table("w").inc(None, np.ascontiguousarray(mine - raw if me.index == 0 else mine))


def duals_of(me: Worker, cfg: Config, scale: Scale) -> Duals:
    rows = me.data
    X = scale.apply(rows.X) if scales(cfg, me.schema) else rows.X
    return Duals(me, Problem.of(replace(rows, X=X), cfg.C, cfg.bias, cfg.loss == "l2"), positives(me.schema))


def known(me: Worker, cfg: Config) -> Scale:
    """The scale that `start` measured."""
    return Scale.of(me.table("scale").get()) if scales(cfg, me.schema) else Scale.none(me.schema.width)


def work(me: Worker, cfg: Config) -> None:
    w, duals, first = me.table("w"), duals_of(me, cfg, known(me, cfg)), me.clock_now
    due = me.state("due", np.zeros(1), by="all")  # the next pass before which the gap is measured
    turns = 1 if me.workers == 1 else min(max(1, me.rows // me.workers // LEAST), TURNS)
    end = cfg.epochs * turns
    anew = duals.begin_anew()
    if anew:
        due[:] = first // turns + WARM * bool(w.get().any())
    duals.settle(cfg.tol)
    for clock in range(first, end + 1):
        table = np.array(w.get().T, order="C")  # (K, d + 1)
        W = me.sum(duals.weights()) if anew and 0 < clock == first else table
        epoch, turn = divmod(clock, turns)
        gains = duals.end() if turn == 0 else np.zeros(0)
        if clock == end or (turn == 0 and epoch >= due):
            gap = measured(me, duals, W)
            if epoch:
                me.validate(epoch - 1, cfg.patience)
            if gap <= cfg.tol or me.stop:
                return
            duals.settle(cfg.tol)
            due[:] = max(epoch + 1, int(epoch * min(LONGER, np.sqrt(gap / cfg.tol))))  # it falls as 1 / epoch^2, or so
        if clock < end:
            if turn == 0 or clock == first:
                duals.shuffle(epoch)
            V = duals.onward(W, gains) if turn == 0 else W
            mine = duals.sweep(V, turn, turns)
            w.inc(None, np.ascontiguousarray((mine + (V - table) if me.index == 0 else mine).T))
            me.went_over(len(me.share) / turns)
            me.clock()
    me.note(
        f"{cfg.epochs:,} passes left a duality gap of {gap:.2g} of the objective: allow more, or scale the features"
    )


def measured(me: Worker, duals: Duals, W: F64) -> float:
    """The largest gap of all classes, which is reported."""
    objective, gap = duals.measure(W)
    me.report(loss=objective / me.rows, objective=objective / me.rows, gap=gap)
    return gap


def model(me: Worker, cfg: Config) -> Artifacts:
    W = np.array(me.table("w").get())
    W[-1] *= cfg.bias
    w = np.vstack(known(me, cfg).fold(W))
    return {"w": w, "sureness": np.array([sureness(me, w)])}


def predict(model: Model, batch: Batch) -> Columns:
    Z = score(batch.X, model["w"])
    P = np.empty(Z.T.shape, np.float32)
    softmax(Z * np.float32(model["sureness"][0]), P)
    return {"probability": P}


def coefficients(model: Model) -> F64:
    return model["w"]
