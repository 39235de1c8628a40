"""Schedules: updates and seconds to a target, lasso on correlated columns: uniform, by priority, and with the check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from yarnml.bench.correlated import Lasso, Problem
from yarnml.bench.plot import draw
from yarnml.bench.row import Row
from yarnml.sched import Independent, Policy, Priority, Source, Uniform, rounds

WIDTHS = (1, 4, 16, 64, 256)
UNIFORM, PRIORITY, CHECKED = "uniform", "priority", "priority + check"
ABOVE = 1e-3  # the least objective, of which part the target is above it
PATIENCE = 100  # passes of updates that a trial may take
AIM, AT = 10, 64  # so many times fewer updates, at this width
FAR = 1e3  # times the objective at the start: it diverges
PLOT = Path("schedule.png")


@final
@dataclass(frozen=True)
class Trial:
    """What it took; inf where the target wasn't reached."""

    updates: float
    seconds: float
    objective: float  # the last one, over the least


def run(quick: bool = False) -> list[Row]:
    """One worker with one thread, width by width; `quick`: a tenth of the columns, and fewer widths."""
    problem = Problem.made(600, 2_000, 20, 5) if quick else Problem.made(2_000, 20_000, 20, 20)
    least = problem.least()
    ways: dict[str, Callable[[int], Policy | Source]] = {
        UNIFORM: Uniform,
        PRIORITY: Priority,
        CHECKED: lambda n: Priority(n) | Independent(problem.columns, rho=0.5),
    }
    play(problem, ways[CHECKED](AT), np.inf, 1)  # compiles
    widths = WIDTHS[-2:] if quick else WIDTHS
    most = PATIENCE * len(problem.XT)
    of = {(name, n): play(problem, way(n), least, most) for n in widths for name, way in ways.items()}
    draw(PLOT, {f"{what} to the target, log10": curves(of, what) for what in ("updates", "seconds")}, "width, log2")
    return rows(of)


def play(problem: Problem, policy: Policy | Source, least: float, most: int) -> Trial:
    """Rounds of this policy, as wide as it says, until the target, `most` updates, or an objective that has no hope."""
    lasso = Lasso(problem, policy)
    start, updates, begin = lasso.objective(), 0, perf_counter()
    for done in rounds(One(), lasso):
        updates += len(done.picks)
        objective = lasso.objective()
        if objective <= least * (1 + ABOVE):
            return Trial(updates, perf_counter() - begin, objective / least)
        if updates >= most or not objective < FAR * start:
            break
    return Trial(np.inf, np.inf, objective / least)


def rows(of: Mapping[tuple[str, int], Trial]) -> list[Row]:
    """Of each width the checked one beside each other's; at the widest, where they came to."""
    found = []
    for n in sorted({n for _, n in of}):
        for other in (UNIFORM, PRIORITY):
            found += [_beside(of, n, other, what) for what in ("updates", "seconds")]
    wide = WIDTHS[-1]
    ours, peer = (of[way, wide].objective for way in (CHECKED, PRIORITY))
    holds = ours <= 1 + ABOVE and not peer <= 1 + ABOVE
    name = f"width {wide}: objective over the least, {CHECKED} beside {PRIORITY}"
    return [*found, Row(name, ours, peer, None, f"<= {1 + ABOVE:g}, the peer's not", holds)]


def _beside(of: Mapping[tuple[str, int], Trial], n: int, other: str, what: str) -> Row:
    ours, peer = (float(getattr(of[way, n], what)) for way in (CHECKED, other))
    ratio = peer / ours if np.isfinite(ours) else 0.0
    wanted = (n, other, what) == (AT, UNIFORM, "updates")
    return Row(
        f"width {n}: {what}, {CHECKED} beside {other}", ours, peer, ratio, f">= {AIM}" if wanted else "-",
        ratio >= AIM if wanted else None,
    )  # fmt: skip


def curves(of: Mapping[tuple[str, int], Trial], what: str) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Each way's over the width; a gap where it doesn't reach the target."""
    found = {}
    for way in (UNIFORM, PRIORITY, CHECKED):
        widths = sorted({n for _, n in of})
        y = np.log10([getattr(of[way, n], what) for n in widths])
        found[way] = (np.log2(widths), np.where(np.isfinite(y), y, np.nan))
    return found


@final
class One:
    """The only worker of no run."""

    index, workers, seed, stop, clock_now = 0, 1, 1, False, 0

    def clock(self) -> None:
        pass

    def gather(self, x: Any) -> list[NDArray[Any]]:
        return [np.asarray(x)]

    def state(self, _name: str, init: Callable[[], NDArray[Any]], _by: str) -> NDArray[Any]:
        return init()
