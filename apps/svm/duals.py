"""Duals: those of all classes on one worker's rows, and what workers tell each other of them."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from yarnml.app import Worker

from .dual import BEGUN, NOW, Dual, Problem
from .momentum import Momentum

F64 = NDArray[np.float64]


@final
class Duals:
    """What they know lives in `me.state`: work that is entered again finds it there. W, V (K, d + 1): weights."""

    def __init__(self, me: Worker, problem: Problem, positives: range) -> None:
        """`positives`: the classes that are told from the rest."""
        self._me, K = me, len(positives)
        self._now = me.state("now", np.full(K, BEGUN, NOW), by="all")
        self._memory = me.state("momentum", np.zeros((K, me.schema.width + 3)), by="all")
        self._momenta = [Momentum(row) for row in self._memory]
        self.problem = problem
        self.each = [self._dual(at, k) for at, k in enumerate(positives)]

    def _dual(self, at: int, positive: int) -> Dual:
        def own(name: str, kind: Any = np.float64) -> NDArray[Any]:
            return self._me.state(f"{name}{positive}", np.zeros(len(self.problem), kind), by="rows")

        rows = own("alpha"), own("before"), own("slope", np.float32), own("moves", np.int8)
        return Dual(self.problem, positive, *rows, self._now[at, ...])

    def guess(self, W: F64) -> None:
        """Set each alpha to what the weights of a model tell of it."""
        for dual, w in zip(self.each, W, strict=True):
            dual.guess(w)

    def weights(self) -> F64:
        """These rows' part of w, (K, d + 1)."""
        return np.stack([dual.weights() for dual in self.each])

    def begin_anew(self) -> bool:
        """Whether what is kept is of no problem yet, or of another: but for alpha, it is forgotten then.

        So it is at first, and where a run is resumed with another C, loss, bias, scale, weights or number of workers.
        """
        me = self._me
        traits = np.append(me.sum(self.problem.traits()), me.workers)
        known = me.state("problem", np.zeros(len(traits)), by="all")
        if np.array_equal(known, traits):
            return False
        known[:], self._memory[:] = traits, Momentum.memory(me.schema.width + 1)
        for dual in self.each:
            dual.renew()
        return True

    def settle(self, tol: float) -> None:
        """Classes whose gap was small when it was measured last are left as they are."""
        for dual in self.each:
            dual.done = bool(dual.now["gap"] <= tol)

    def measure(self, W: F64) -> tuple[float, float]:
        """The sum of all classes' f, and the largest gap, as a part of its f; those that are done are as they were."""
        moving = [k for k, dual in enumerate(self.each) if not dual.done]
        parts = np.array([self.each[k].measure(W[k], self._me.crew) for k in moving])  # without |w|^2 / 2
        for k, (loss, gain) in zip(moving, self._me.sum(parts), strict=True):
            half, now = float(W[k] @ W[k]) / 2, self.each[k].now
            now["objective"], now["gap"] = loss + half, (loss + 2 * half - gain) / (loss + half)
        objectives, gaps = (self._now[name].tolist() for name in ("objective", "gap"))
        return sum(objectives), max(gaps)

    def end(self) -> F64:
        """A pass is over, or none has been: (K,) the dual without |w|^2 / 2."""
        found = np.stack(self._me.gather(np.array([dual.end() for dual in self.each])))  # (workers, K, 3)
        for dual, top, bottom in zip(self.each, found[..., 1].max(axis=0), found[..., 2].min(axis=0), strict=True):
            dual.bound(float(top), float(bottom))
        return np.asarray(found[..., 0].sum(axis=0))

    def shuffle(self, epoch: int) -> None:
        """The rows' order in a pass, the same in each of its clocks, wherever work is entered."""
        me = self._me
        seeds = np.random.default_rng([me.seed % 2**64, me.index, epoch]).integers(2**32, size=len(self.each))
        for dual, seed in zip(self.each, seeds.tolist(), strict=True):
            dual.shuffle(seed)

    def onward(self, W: F64, gains: F64) -> F64:
        """Where a pass begins, the last one having ended at W; `gains` as `end` returned them."""
        V = W.copy()
        for k, dual in enumerate(self.each):
            if not dual.done:
                V[k], dual.now["beta"] = self._momenta[k].onward(W[k], float(W[k] @ W[k]) / 2 - float(gains[k]))
        return V

    def sweep(self, W: F64, turn: int, turns: int) -> F64:
        """What one of the turns of a pass over this worker's rows adds to w, (K, d + 1)."""
        V, moving = W.copy(), [k for k, dual in enumerate(self.each) if not dual.done]

        def part(lo: int, hi: int) -> None:
            for k in moving[lo:hi]:
                self.each[k].sweep(V[k], turn, turns, float(self._me.workers))

        self._me.crew.each(part, len(moving), least=1)
        return (V - W) / self._me.workers
