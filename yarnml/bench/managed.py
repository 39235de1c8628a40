"""A network that is too slow: bytes to a fixed loss when increments wait for their turn, or leave with each clock."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from yarnml.bench.learning import PROBLEMS
from yarnml.bench.plot import draw
from yarnml.bench.row import Row
from yarnml.bench.team import Curve, Team, Trial, smooth

PROBLEM = "mf of large batches"
STALENESS = 5
BANDWIDTH = 200e3  # bytes a second a process: an eighth of what each clock's increments would take
ORDERS = ("clock", "magnitude", "random", "fifo")
WHERE = 0.8  # of the clocks: the loss that clock-only sending has reached by then is the one to reach
AIM = 2.0
PLOT = Path("managed.png")


def run(quick: bool = False) -> list[Row]:
    """A factorisation by SGD, sent in each order; `quick`: a third of the clocks."""
    team = Team(PROBLEM)
    try:
        curves = {order: team.play(_trial(order, 40 if quick else 120)) for order in ORDERS}
    finally:
        team.close()
    draw(PLOT, {f"{PROBLEM}: loss": {o: (c.bytes_ / 1e6, smooth(c.loss)) for o, c in curves.items()}}, "MB")
    return rows(f"{PROBLEM}, {PROBLEMS[PROBLEM]().source}", curves)


def _trial(order: str, clocks: int) -> Trial:
    return Trial(problem=PROBLEM, staleness=STALENESS, clocks=clocks, clock=0.05, bandwidth=BANDWIDTH, order=order)


def rows(name: str, curves: Mapping[str, Curve]) -> list[Row]:
    """MB that workers have sent and received, and seconds, until the loss is reached; clock-only is the peer."""
    clock = curves["clock"]
    loss = float(smooth(clock.loss)[int(WHERE * len(clock.loss)) - 1])
    found = []
    for order, curve in curves.items():
        if order == "clock":
            continue
        for what, of, theirs, aimed in (
            ("MB", curve.bytes_ / 1e6, clock.bytes_ / 1e6, order == "magnitude"),
            ("s", curve.seconds, clock.seconds, False),
        ):
            mine, peer = curve.reaches(loss, of), clock.reaches(loss, theirs)
            holds = mine * AIM <= peer if aimed else None
            aim = f"<= {1 / AIM:g}" if aimed else "-"
            found.append(Row(f"{name}: {what} to loss {loss:.4g}, {order}", mine, peer, mine / peer, aim, holds))
    return found
