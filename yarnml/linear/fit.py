"""Fit: the work of an app that learns a linear model: one problem after the other along the penalty, for each class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from yarnml.app import Worker
from yarnml.linear.coordinates import Coordinates
from yarnml.linear.penalty import Penalty
from yarnml.linear.settings import Settings
from yarnml.linear.sums import Sums
from yarnml.linear.tables import DONE, GAP, LAM, OBJECTIVE, Column, learned
from yarnml.sched import rounds

F64 = NDArray[np.float64]
NAMED = 3  # lams in a remark, at most
WIDE, LONG = 1e-2, 1e-3  # of lam_max: where a path ends by itself, with more columns than rows, or fewer


def lambdas(top: float, end: float, count: int) -> F64:
    """(count,) falling evenly in their logarithm from `top` to `end`; a single one is `end`."""
    return np.array([end]) if count == 1 else np.geomspace(max(top, end), end, count)


def fit(me: Worker, cfg: Settings, logistic: bool, usual: float | None) -> dict[str, Any]:
    """Solve all problems that aren't yet.

    `usual`: lam where the config says none and there is no path; None: a tenth of the least that leaves no weight.
    """
    work = _Work(me, cfg, logistic)
    solved = me.table("solved")
    lams = work.path(usual)
    while (at := int(solved.get()[:, DONE].sum())) < len(lams) * work.classes and not me.stop:
        problem, target = divmod(at, work.classes)
        found = work.solve(float(lams[problem]), target, at)
        if me.index == 0:
            solved.inc(at, found[None])
        me.clock()
        if target == work.classes - 1:
            me.validate(problem, cfg.patience)
    work.remark()
    passes = me.passes
    if passes.best is not None:
        passes.best = replace(passes.best, arrays=passes.best.arrays | _whole_path(me, cfg))
    return _result(solved.get(), work.classes, passes.best_pass)


def _whole_path(me: Worker, cfg: Settings) -> dict[str, NDArray[Any]]:
    return {name: array for name, array in learned(me, cfg.path).items() if name not in ("w", "lam")}


def _result(solved: F64, classes: int, best: int | None) -> dict[str, Any]:
    """Of the lam that was chosen: the one of this number, from 1, or the last."""
    each = solved[solved[:, DONE] > 0].reshape(-1, classes, solved.shape[1])
    it = each[-1 if best is None else best - 1]
    return {"lam": float(it[-1, LAM]), "objective": float(it[:, OBJECTIVE].sum()), "gap": float(it[:, GAP].sum())}


@final
class _Work:
    def __init__(self, me: Worker, cfg: Settings, logistic: bool) -> None:
        self._me, self._cfg, self._logistic = me, cfg, logistic
        self._unproven: list[tuple[float, float]] = []  # lams that ended before their gap was small, and that
        self.classes = me.table("w").shape[1]
        ones: list[int | None] = [None] if not logistic else [1] if self.classes == 1 else list(range(self.classes))
        self._sums = [Sums(me, logistic, one) for one in ones]
        mean, self._squares = self._sums[0].powers(curved=False)
        if cfg.intercept:
            self._squares = np.maximum(self._squares - mean**2, 0) * (self._squares - mean**2 > 1e-12 * self._squares)
        self._spread = np.sqrt(self._squares) if cfg.standardize else (self._squares > 0).astype(np.float64)

    def path(self, usual: float | None) -> F64:
        cfg, me = self._cfg, self._me
        if cfg.path == 1 and (cfg.lam is not None or usual is not None):
            return lambdas(0.0, cfg.lam if cfg.lam is not None else float(usual or 0.0), 1)
        tops = [self._top(sums) for sums in self._sums]
        part = 0.1 if cfg.path == 1 else WIDE if me.schema.width > me.rows else LONG
        return lambdas(max(tops), max(tops) * part if cfg.lam is None else cfg.lam, cfg.path)

    def solve(self, lam: float, target: int, at: int) -> F64:
        """What the table of what is solved holds of it."""
        me, cfg, sums = self._me, self._cfg, self._sums[target]
        column = Column(me, me.table("w"), target)
        alive = me.state("alive", lambda: self._squares > 0, by="all")
        idle = me.state("idle", lambda: np.zeros(1, np.int64), by="all")
        coordinates = Coordinates(sums, self._squares, cfg.intercept, alive, idle, column.put)
        w, b = column.now
        if not w.any() and b == 0:
            b = self._null(sums)
        coordinates.begin(Penalty.of(lam, cfg.ratio, self._spread), w, b, cfg.tol * self._nothing(sums))
        began = me.clock_now
        for done in rounds(me, coordinates) if not coordinates.solved else ():
            me.went_over(len(me.share))
            me.report(
                loss=coordinates.objective, objective=coordinates.objective, gap=min(coordinates.gap, 1e300), lam=lam,
                picks=len(done.picks), nonzero=int(np.count_nonzero(coordinates.w)), alive=int(alive.sum()),
            )  # fmt: skip
            if coordinates.solved:
                break
            if me.clock_now - began >= cfg.rounds:
                me.note(
                    f"lam {lam:g}: {cfg.rounds} rounds weren't enough, the objective may be {coordinates.gap:.2g} "
                    "less: allow more (--rounds), or a larger gap (--tol)"
                )
                break
        if coordinates.unproven:
            self._unproven.append((lam, coordinates.gap))
        alive[:], idle[:] = self._squares > 0, 0  # as the next problem begins
        column.put(coordinates.w, coordinates.b)
        if cfg.path > 1:
            Column(me, me.table("path"), at).put(coordinates.w, coordinates.b)
        return np.array([1.0, lam, coordinates.objective, min(coordinates.gap, 1e300)])

    def remark(self) -> None:
        if self._unproven:
            lams, gaps = zip(*self._unproven, strict=True)
            names = ", ".join([f"{lam:g}" for lam in dict.fromkeys(lams)][:NAMED])
            self._me.note(
                f"lam {names}{', ...' if len(set(lams)) > NAMED else ''}: ended when rounds gained next to nothing, "
                f"before the gap was small: the objective may be up to {max(gaps):.2g} less; features that are scaled "
                "alike (--standardize), a larger --lam or --tol let the gap tell sooner"
            )

    def _null(self, sums: Sums) -> float:
        """The intercept of a model without weights."""
        if not self._cfg.intercept:
            return 0.0
        if not self._logistic:
            return sums.y
        p = float(np.clip(sums.y, 1e-12, 1 - 1e-12))
        return float(np.log(p / (1 - p)))

    def _nothing(self, sums: Sums) -> float:
        """The loss of a model without weights."""
        if not self._logistic:
            return max((sums.y2 - sums.y**2 * self._cfg.intercept) / 2, 1e-300)
        p = float(np.clip(sums.y if self._cfg.intercept else 0.5, 1e-12, 1 - 1e-12))
        return -float(sums.y * np.log(p) + (1 - sums.y) * np.log(1 - p))

    def _top(self, sums: Sums) -> float:
        """The least lam that leaves no weight."""
        g = np.abs(sums.slope(np.zeros(sums.width), self._null(sums)).g)
        used = self._spread > 0
        most = float(np.max(g[used] / self._spread[used], initial=0.0))
        return most / max(self._cfg.ratio, 1e-3)
