"""Workers that are slow at random: time to a fixed loss at staleness 0 (BSP), bounded (SSP) and unbounded (ASP)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yarnml.bench.learning import PROBLEMS
from yarnml.bench.plot import draw
from yarnml.bench.row import Row
from yarnml.bench.team import Curve, Team, Trial, smooth

SLOW, TIMES, WORKERS = 0.2, 4.0, 4  # each worker is 4 times slower in a fifth of its clocks
STALENESS: tuple[int | None, ...] = (0, 1, 3, 10, None)
WHERE = 0.6  # of BSP's clocks: the loss that it has reached by then is the one to reach
AIM = 1.35
PLOT = Path("straggler.png")


def run(quick: bool = False) -> list[Row]:
    """mlr and a factorisation, each at all stalenesses, one after the other; `quick`: a third of the clocks."""
    clocks = 60 if quick else 200
    found, curves = [], {}
    for name in ("mlr", "mf"):
        team = Team(name, WORKERS)
        try:
            of = {s: team.play(_trial(name, s, clocks)) for s in STALENESS}
        finally:
            team.close()
        found += rows(f"{name} on {PROBLEMS[name]().source}", of, clocks)
        curves[f"{name}: loss"] = {_called(s): (curve.seconds, smooth(curve.loss)) for s, curve in of.items()}
        curves[f"{name}: clocks apart"] = {
            _called(s): (curve.seconds[: len(curve.apart)], curve.apart) for s, curve in of.items()
        }
    draw(PLOT, curves, "seconds")
    return found


def _trial(problem: str, staleness: int | None, clocks: int) -> Trial:
    return Trial(
        problem=problem, staleness=staleness, clocks=clocks, clock=0.04, workers=WORKERS, slow=SLOW, times=TIMES
    )


def rows(name: str, curves: Mapping[int | None, Curve], clocks: int) -> list[Row]:
    """Seconds to the loss: BSP's beside each other's, with the ratio that throughput alone allows; and how far workers
    came apart."""
    bsp = curves[0]
    loss = float(smooth(bsp.loss)[int(WHERE * len(bsp.loss)) - 1])
    base = bsp.reaches(loss, bsp.seconds)
    found = []
    for s, curve in curves.items():
        if s == 0:
            continue
        took = curve.reaches(loss, curve.seconds)
        can = f"at most {bound(s, clocks):.2f} by throughput"
        found.append(Row(f"{name}: s to loss {loss:.4g}, {_called(s)}", took, base, base / took, can, None))
    best = min(curve.reaches(loss, curve.seconds) for s, curve in curves.items() if s)
    found.append(Row(f"{name}: s to it, SSP's best", best, base, base / best, f">= {AIM}", base / best >= AIM))
    widest = max(s for s in curves if s is not None)
    apart, bounded = (float(curves[s].apart.max(initial=0)) for s in (None, widest))
    found.append(
        Row(f"{name}: clocks apart, ASP beside s = {widest}", apart, bounded, apart / max(1, bounded), "no bound", None)
    )
    return found


def bound(staleness: int | None, clocks: int, trials: int = 20) -> float:
    """How much faster than BSP workers end their clocks that compute and never wait but for staleness."""
    rng = np.random.default_rng(0)
    d = np.where(rng.random((trials, clocks, WORKERS)) < SLOW, TIMES, 1.0)
    return float(np.mean(_lasts(d, 0) / _lasts(d, staleness)))


def _lasts(d: NDArray[np.float64], s: int | None) -> NDArray[np.float64]:
    """The mean time at which workers have ended all clocks, of durations d (trials, clocks, workers): the end of clock
    c is that of c - 1, or, if it is later, that of the slowest's clock c - s - 1; and then d."""
    ends = np.zeros_like(d)
    for c in range(d.shape[1]):
        begin = ends[:, c - 1] if c else np.zeros_like(d[:, 0])
        if s is not None and c > s:
            begin = np.maximum(begin, ends[:, c - s - 1].max(axis=1, keepdims=True))
        ends[:, c] = begin + d[:, c]
    lasts: NDArray[np.float64] = ends[:, -1].mean(axis=1)
    return lasts


def _called(staleness: int | None) -> str:
    return {0: "BSP", None: "ASP"}.get(staleness, f"SSP s = {staleness}")
