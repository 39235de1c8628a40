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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hdfs_io import ReadOptions, Roles, Schema
from yarnml.app import AppConfig, Artifacts, Batch, Columns, Count, Demo, Model, NonNegative, Positive, Worker
from yarnml.app.columns import Scale, measure
from yarnml.kernels.softmax import softmax
from yarnml.ps import TableSpec
from yarnml.task import Classification

from .dual import BEGUN, NOW, Dual, Problem
from .momentum import Momentum
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
        each = duals(me, cfg, scale)
        for k, dual in enumerate(each):
            dual.guess(W[:, k])
        mine = np.stack([dual.weights() for dual in each], axis=1)
        me.table("w").inc(None, mine - raw if me.index == 0 else mine)


def duals(me: Worker, cfg: Config, scale: Scale) -> list[Dual]:
    rows = me.data
    X = scale.apply(rows.X) if scales(cfg, me.schema) else rows.X
    problem = Problem.of(replace(rows, X=X), cfg.C, cfg.bias, cfg.loss == "l2")
    now = me.state("now", np.full(len(positives(me.schema)), BEGUN, NOW), by="all")

    def own(name: str, kind: Any = np.float64) -> NDArray[Any]:
        return me.state(name, np.zeros(len(problem), kind), by="rows")

    return [
        Dual(
            problem, k, own(f"alpha{k}"), own(f"before{k}"), own(f"slope{k}", np.float32), own(f"moves{k}", np.int8),
            now[at, ...],
        )
        for at, k in enumerate(positives(me.schema))
    ]  # fmt: skip


def known(me: Worker, cfg: Config) -> Scale:
    """The scale that `start` measured."""
    return Scale.of(me.table("scale").get()) if scales(cfg, me.schema) else Scale.none(me.schema.width)


def work(me: Worker, cfg: Config) -> None:
    w, each, first = me.table("w"), duals(me, cfg, known(me, cfg)), me.clock_now
    memory = me.state("momentum", np.zeros((len(each), me.schema.width + 3)), by="all")
    momenta, due = [Momentum(row) for row in memory], me.state("due", np.zeros(1), by="all")
    turns = 1 if me.workers == 1 else min(max(1, me.rows // me.workers // LEAST), TURNS)
    end = cfg.epochs * turns
    anew = begins_anew(me, each, memory)
    if anew:
        due[:] = first // turns + WARM * bool(w.get().any())  # the next pass before which the gap is measured
    settle(each, cfg.tol)
    for clock in range(first, end + 1):
        table = np.array(w.get().T, order="C")  # (K, d + 1)
        W = me.sum(np.stack([dual.weights() for dual in each])) if anew and 0 < clock == first else table
        epoch, turn = divmod(clock, turns)
        gains = ended(me, each) if turn == 0 else np.zeros(0)
        if clock == end or (turn == 0 and epoch >= due):
            gap = measured(me, each, W)
            if epoch:
                me.validate(epoch - 1, cfg.patience)
            if gap <= cfg.tol or me.stop:
                return
            settle(each, cfg.tol)
            due[:] = max(epoch + 1, int(epoch * min(LONGER, np.sqrt(gap / cfg.tol))))  # it falls as 1 / epoch^2, or so
        if clock < end:
            if turn == 0 or clock == first:
                shuffle(me, each, epoch)
            V = begun(each, momenta, W, gains) if turn == 0 else W
            mine = swept(me, each, V, turn, turns)
            w.inc(None, np.ascontiguousarray((mine + (V - table) if me.index == 0 else mine).T))
            me.went_over(len(me.share) / turns)
            me.clock()
    me.note(
        f"{cfg.epochs:,} passes left a duality gap of {gap:.2g} of the objective: allow more, or scale the features"
    )


def measured(me: Worker, each: list[Dual], W: F64) -> float:
    """The largest gap of all classes, each as a part of its f; those that are done are as they were."""
    moving = [k for k, dual in enumerate(each) if not dual.done]
    sums = me.sum(np.array([each[k].measure(W[k], me.crew) for k in moving]))  # primal and dual, without |w|^2 / 2
    for k, (loss, gain) in zip(moving, sums, strict=True):
        half = float(W[k] @ W[k]) / 2
        each[k].now["objective"], each[k].now["gap"] = loss + half, (loss + 2 * half - gain) / (loss + half)
    gap = max(float(dual.now["gap"]) for dual in each)
    objective = sum(float(dual.now["objective"]) for dual in each) / me.rows
    me.report(loss=objective, objective=objective, gap=gap)
    return gap


def begins_anew(me: Worker, each: list[Dual], memory: F64) -> bool:
    """Whether what is kept is of no problem yet, or of another: but for alpha, it is forgotten then.

    So it is at first, and where a run is resumed with another C, loss, bias, scale, weights or number of workers.
    """
    traits = np.append(me.sum(each[0].problem.traits()), me.workers)
    known = me.state("problem", np.zeros(len(traits)), by="all")
    if np.array_equal(known, traits):
        return False
    known[:], memory[:] = traits, Momentum.memory(me.schema.width + 1)
    for dual in each:
        dual.renew()
    return True


def settle(each: list[Dual], tol: float) -> None:
    """Classes whose gap was small when it was measured last are left as they are."""
    for dual in each:
        dual.done = bool(dual.now["gap"] <= tol)


def ended(me: Worker, each: list[Dual]) -> F64:
    """A pass is over, or none has been: (K,) the dual without |w|^2 / 2."""
    found = np.stack(me.gather(np.array([dual.end() for dual in each])))  # (workers, K, 3)
    for dual, top, bottom in zip(each, found[..., 1].max(axis=0), found[..., 2].min(axis=0), strict=True):
        dual.bound(float(top), float(bottom))
    return np.asarray(found[..., 0].sum(axis=0))


def shuffle(me: Worker, each: list[Dual], epoch: int) -> None:
    """The rows' order in a pass, the same in each of its clocks, wherever work is entered."""
    seeds = np.random.default_rng([me.seed % 2**64, me.index, epoch]).integers(2**32, size=len(each))
    for dual, seed in zip(each, seeds.tolist(), strict=True):
        dual.shuffle(seed)


def begun(each: list[Dual], momenta: list[Momentum], W: F64, gains: F64) -> F64:
    """Where a pass begins, (K, d + 1), the last one having ended at W."""
    V = W.copy()
    for k, dual in enumerate(each):
        if not dual.done:
            V[k], dual.now["beta"] = momenta[k].onward(W[k], float(W[k] @ W[k]) / 2 - float(gains[k]))
    return V


def swept(me: Worker, each: list[Dual], W: F64, turn: int, turns: int) -> F64:
    """What one of the turns of a pass over this worker's rows adds to w, (K, d + 1)."""
    V, moving = W.copy(), [k for k, dual in enumerate(each) if not dual.done]

    def part(lo: int, hi: int) -> None:
        for k in moving[lo:hi]:
            each[k].sweep(V[k], turn, turns, float(me.workers))

    me.crew.each(part, len(moving), least=1)
    return (V - W) / me.workers


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
