"""Lasso and elastic net, by coordinate descent on the weights that a schedule chooses.

    minimise  1/2n |y - X w - b|^2 + lam (ratio |v|_1 + (1 - ratio)/2 |v|^2)    over w (d,), b

v is w, or with --standardize that of features scaled to a standard deviation of 1, v_j = w_j spread_j; rows count by
their weight where they have one. A round is a clock [Lee et al. 2014, On model parallelization and scheduling
strategies, STRADS]: its schedule picks the weights that violate the optimality conditions most; each worker sums their
Gram matrix over its rows; the sums are added; each worker alike minimises the objective in these weights, exactly.
Weights that are surely zero leave the race, and it ends where the duality gap is a small part, tol, of the objective
without any weight. Along a path each lam begins where the last one ended, and --valid chooses among the models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from numpy.typing import NDArray

from hdfs_io import ReadOptions, Roles, Schema
from yarnml.app import Artifacts, Batch, Columns, Count, Demo, Model, NonNegative, Positive, Worker
from yarnml.config import Range
from yarnml.kernels.linear import scores
from yarnml.linear import Settings, fit, learned, linear_tables, told
from yarnml.ps import TableSpec
from yarnml.task import Regression

task = Regression()
fixed = ("lam", "ratio", "intercept", "standardize")  # the problem: weights that are surely zero in it stay out
demo = Demo("sklearn", "datasets/data/diabetes_data_raw.csv.gz", ReadOptions(header=False, roles=Roles(label=-1)), 0.2)


@dataclass(frozen=True, kw_only=True)
class Config(Settings):
    lam: NonNegative | None = None  # strength of the penalty; none: a tenth of the least that leaves no weight
    ratio: Annotated[float, Range(at_least=0, at_most=1)] = 1.0  # the penalty's part that makes weights zero; 0: ridge
    intercept: bool = True  # learn b
    standardize: bool = False  # penalise weights as if features had a standard deviation of 1
    path: Count = 1  # models, from no weight down to lam, or to a small part of where it began
    tol: Positive = 1e-6  # duality gap at which to end, as a part of the objective without weights
    rounds: Count = 200  # of one lam, at most
    patience: Count = 5  # with --valid: models of a path without a gain after which it ends


def tables(cfg: Config, data: Schema) -> list[TableSpec]:
    return linear_tables(data, cfg.path, 1)


def work(me: Worker, cfg: Config) -> dict[str, Any]:
    return fit(me, cfg, logistic=False, usual=None)


def model(me: Worker, cfg: Config) -> Artifacts:
    return learned(me, cfg.path)


def predict(model: Model, batch: Batch) -> Columns:
    w = model["w"].astype("float32")
    return {"prediction": scores(batch.X, w[:-1], w[-1])[0]}


def coefficients(model: Model) -> NDArray[Any]:
    return model["w"]


def summary(model: Model) -> list[str]:
    return told(model)
