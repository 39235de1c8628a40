"""Matrix factorisation of ratings: a user's of an item from k numbers of each, by ALS, CCD++ or SGD.

    minimise  sum_(u,i) (r_ui - m - b_u - b_i - p_u . q_i)^2 + lambda (sum_u n_u |p_u, b_u|^2 + sum_i n_i |q_i, b_i|^2)

over the ratings that there are, m their mean, n_u and n_i how many a user has and an item; all three methods minimise
this. With --implicit a row only says that they met, r_ui times: then every pair counts, by ALS alone,

    minimise  sum_(all u,i) c_ui ([r_ui > 0] - p_u . q_i)^2 + lambda (|P|^2 + |Q|^2),    c_ui = 1 + alpha r_ui

[Hu, Koren, Volinsky 2008]. Each worker holds whole users and whole items (sides.py), and all of P and Q: what one finds
for its own is handed to all. So the model is the same on any number of workers, to rounding (SGD: any order is one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, Schema
from yarnml.app import (
    AppConfig,
    Artifacts,
    Batch,
    Columns,
    Count,
    Demo,
    Fraction,
    Model,
    NonNegative,
    Positive,
    Worker,
    glimpse,
)  # fmt: skip
from yarnml.config import typed
from yarnml.errors import DataError, UsageError
from yarnml.task import Recommendation

from .als import ALS
from .ccd import CCD
from .factors import Factors
from .method import Method, Penalty
from .sgd import SGD
from .sides import Ratings, ratings
from .strange import places, refuse_cold, refuse_negative
from .top import best, pairs, scores

FAR = float(np.finfo(np.float32).max)
PASSES = {"als": 15, "ccd": 25, "sgd": 40}
RANKED = 256  # items, spread over all, that a pair is ranked among

task = Recommendation()
demo = Demo("yarnml_apps", "mf/ratings.csv.gz", test=0.1)  # made.py's
fixed = ("k", "bias", "implicit")  # what P, Q and the scale are of


@dataclass(frozen=True, kw_only=True)
class Config(AppConfig):
    method: Literal["als", "ccd", "sgd"] = "als"  # alternating least squares, CCD++, stochastic gradient descent
    k: Count = 16  # numbers for each user and item, beside the bias
    reg: NonNegative | None = None  # lambda; none: 0.1, where users and items have 100 ratings and more 0.05
    epochs: Count | None = None  # passes over the ratings, at most; none: 15 of als, 25 of ccd, 40 of sgd
    tol: Fraction = 2e-3  # training ends when a pass lowers the objective by a smaller part
    bias: bool = True  # users and items have a number of their own that is added to their ratings
    implicit: bool = False  # rows say that a user met an item, not how they liked it
    alpha: Positive = 40.0  # implicit: how much more a pair that was seen counts, times its rating
    lr: Positive = 0.02  # sgd: size of the first steps
    cold: Literal["mean", "refuse", "drop"] = "mean"  # ids without ratings: as the mean, an error, or no prediction
    seen: bool = True  # the model keeps which items a user has rated, so that these aren't recommended
    patience: Count = 3  # with --valid: passes without a gain after which training stops


def check(cfg: Config, data: Dataset, rows: int) -> None:
    if cfg.implicit and cfg.method != "als":
        raise UsageError(f"--implicit --method {cfg.method}: what was only seen is learned by als")
    if data.schema.weight is not None:
        raise UsageError(f"--weight {data.schema.weight}: mf takes every rating alike; leave the weights out")
    if data.schema.label is None and not cfg.implicit:
        raise UsageError(f"{data.url}: has no column of ratings; name it with --rating, or say --implicit")
    try:
        glimpse(data)
    except DataError as error:
        how = "ratings are rows of a user, an item and a rating: say which columns: --user --item --rating"
        raise UsageError(f"{error}; {how}") from error


def work(me: Worker, cfg: Config) -> None:
    if cfg.implicit and me.job.valid is not None:
        raise UsageError("--implicit --valid: what was only seen has no score to stop by; leave --valid out")
    if cfg.implicit:
        refuse_negative(me)
    data = ratings(me, distinct=cfg.implicit)
    if cfg.cold == "refuse":
        refuse_cold(me, data)
    penalty = Penalty.of(cfg.reg, cfg.bias and not cfg.implicit, data)
    method = method_of(me, cfg, data, penalty)
    last = me.state("objective", np.full(1, np.inf))
    traits = np.array([penalty.lam, cfg.alpha])
    known = me.state("traits", traits)
    if (known != traits).any():  # resumed, to make another objective smaller
        known[:], last[:] = traits, np.inf
    for batch in me.batches(me.rows, cfg.epochs or PASSES[cfg.method], cfg.patience):
        objective = method.epoch(batch.epoch)
        me.report(loss=objective / me.rows, objective=objective)
        gain, last[0] = last[0] - objective, objective
        me.clock()
        if gain < cfg.tol * objective:
            break


def method_of(me: Worker, cfg: Config, data: Ratings, penalty: Penalty) -> Method:
    keep(me, cfg, data)
    factors = Factors.of(me, cfg.k, data, penalty.bias, 0.0 if cfg.implicit else data.mean)
    match cfg.method:
        case "als":
            return ALS(me, data, factors, penalty, cfg.alpha if cfg.implicit else None)
        case "ccd":
            return CCD(me, data, factors, penalty)
        case "sgd":
            return SGD(me, data, factors, penalty, cfg.lr)


def keep(me: Worker, cfg: Config, data: Ratings) -> None:
    """What the model needs besides P and Q."""
    me.state("users", data.users)
    me.state("items", data.items)
    me.state("scale", np.array([0, -FAR, FAR] if cfg.implicit else [data.mean, data.low, data.high]))
    if cfg.seen:
        me.state("seen", lambda: data.by_user.other)
        me.state("seen_counts", lambda: np.diff(data.by_user.indptr))


def model(me: Worker, cfg: Config) -> Artifacts:
    names = ("users", "items", "P", "Q", "scale")
    arrays = {name: me.state(name, _unknown).copy() for name in names}
    arrays["reg"] = me.state("traits", _unknown)[:1].copy()
    if cfg.seen:
        arrays["seen"] = np.concatenate(me.gather(me.state("seen", _unknown)))
        counts = np.concatenate(me.gather(me.state("seen_counts", _unknown)))
        arrays["seen_from"] = np.concatenate(([0], np.cumsum(counts)))
    return arrays


def _unknown() -> NDArray[Any]:
    raise AssertionError("work declares all state")


def predict(model: Model, batch: Batch) -> Columns:
    refuse = model.config["cold"] == "refuse"
    u = places(batch.user, model["users"], "user", refuse=refuse)
    i = places(batch.item, model["items"], "item", refuse=refuse)
    mean, low, high = model["scale"].tolist()
    P, Q = model["P"], model["Q"]
    found: NDArray[np.float32] = pairs(u, i, P, Q, np.float32(mean)).clip(low, high)
    if model.config["cold"] == "drop":
        found[(u < 0) | (i < 0)] = np.nan
    if not model.config["implicit"]:
        return {"prediction": found}
    some = np.unique(np.linspace(0, len(Q) - 1, RANKED).astype(np.int64))
    S, s = scores(u, P, Q[some]), found[:, None]
    return {"prediction": found, "rank": (s < S).mean(axis=1) + (s == S).mean(axis=1) / 2}


def recommend(model: Model, batch: Batch, top: int) -> Columns:
    u = places(batch.user, model["users"], "user", refuse=model.config["cold"] == "refuse")
    mean, low, high = model["scale"].tolist()
    seen = (model["seen_from"], model["seen"]) if model.config["seen"] else None
    item, value = best(u, model["P"], model["Q"], top, seen)
    value = (value + np.float32(mean)).clip(low, high)
    if model.config["cold"] == "drop":
        value[u < 0] = np.nan
    return {"item": model["items"][item], "prediction": value}


def summary(model: Model) -> list[str]:
    P, Q = model["P"], model["Q"]
    mean, low, high = model["scale"].tolist()
    reg = "" if "reg" not in model.arrays else f", reg {model['reg'][0]:g}"
    rated = "" if model.config["implicit"] else f", rated {low:g} to {high:g}, {mean:.4g} in the mean"
    return [f"k {P.shape[1] - 1}{reg}: {len(P):,} users, {len(Q):,} items{rated}"]


def advice(cfg: Config) -> str:
    if cfg.method == "sgd":
        return f"the steps were too long: try a smaller --lr than {cfg.lr:g}, or --method als"
    return "try a larger --reg, or look at the scale of the ratings"


def check_start(cfg: Config, data: Schema, model: Model) -> None:
    for name in fixed:
        was, now = model.config[name], getattr(cfg, name)
        if was != now:
            raise UsageError(f"the model was trained with {typed(name, was)}; say so here, too")
