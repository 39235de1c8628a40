"""Sparse logistic regression: an L1, elastic or L2 penalty, by Newton's quadratics on weights that a schedule chooses.

    minimise  1/n sum_i log(1 + exp(-s_i (x_i' w + b))) + lam (ratio |v|_1 + (1 - ratio)/2 |v|^2)    over w (d,), b

s_i is 1 where row i is of the second class, else -1; v is w, or with --standardize that of features scaled to a
standard deviation of 1, v_j = w_j spread_j; rows count by their weight where they have one. lam = 1/(C n) is what
liblinear's C means, but that b isn't penalised here. More than two classes are each told from all others.

A round is a clock: its schedule picks the weights that violate the optimality conditions most [Lee et al. 2014, On
model parallelization and scheduling strategies]; each worker sums the Hessian among them over its rows; each alike
minimises the loss's quadratic with the penalty by coordinate descent [Friedman, Hastie, Tibshirani 2010], and goes
that way as far as the objective falls. More weights than have room in a matrix, such as those of L2 alone, which are
all of them, take a Newton step by conjugate gradients [Lin, Weng, Keerthi 2008, Trust region Newton method].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import ReadOptions, Roles, Schema
from yarnml.app import Artifacts, Batch, Columns, Count, Demo, Model, NonNegative, Positive, Worker
from yarnml.config import Range
from yarnml.kernels.linear import scores
from yarnml.linear import Settings, fit, learned, linear_tables, told
from yarnml.ps import TableSpec
from yarnml.task import Classification

task = Classification()
fixed = ("lam", "ratio", "intercept", "standardize")  # the problem: weights that are surely zero in it stay out
demo = Demo("sklearn", "datasets/data/digits.csv.gz", ReadOptions(header=False, roles=Roles(label=-1)), test=0.2)


@dataclass(frozen=True, kw_only=True)
class Config(Settings):
    lam: NonNegative | None = None  # strength of the penalty; none: 1 / rows
    ratio: Annotated[float, Range(at_least=0, at_most=1)] = 1.0  # the penalty's part that makes weights zero; 0: L2
    intercept: bool = True  # learn b
    standardize: bool = False  # penalise weights as if features had a standard deviation of 1
    path: Count = 1  # models, from no weight down to lam, or to a small part of where it began
    tol: Positive = 1e-5  # duality gap at which to end, as a part of the objective without weights
    rounds: Count = 200  # of one lam and class, at most
    patience: Count = 5  # with --valid: models of a path without a gain after which it ends


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    return linear_tables(data, cfg.path, 1 if data.classes == 2 else data.classes)


def work(me: Worker, cfg: Config) -> dict[str, Any]:
    return fit(me, cfg, logistic=True, usual=1 / max(1, me.rows))


def model(me: Worker, cfg: Config) -> Artifacts:
    return learned(me, cfg.path)


def predict(model: Model, batch: Batch) -> Columns:
    w = model["w"].astype(np.float32)
    Z = scores(batch.X, w[:-1], w[-1])  # (1 or classes, n)
    P = np.exp(-np.logaddexp(0, -Z))
    P = np.vstack([1 - P, P]) if len(P) == 1 else P / P.sum(axis=0)
    return {"probability": np.ascontiguousarray(P.T)}


def coefficients(model: Model) -> NDArray[Any]:
    return model["w"]


def summary(model: Model) -> list[str]:
    return told(model)
