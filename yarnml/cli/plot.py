"""`yarnml plot RUN ...`: what runs have learned over time, as curves in a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from yarnml.cli.flags import parse
from yarnml.cli.where import find
from yarnml.errors import UsageError, nearest
from yarnml.monitor.curves import ASIDE, Axis, Curves
from yarnml.monitor.plot import Panel, draw

ABOUT = "What runs have learned over time, in a picture: a panel for each metric, in it a colour for each run."


@dataclass(frozen=True, kw_only=True)
class Args:
    run: Annotated[tuple[str, ...], Positional]  # runs' ids, or the beginnings of them, or their URLs
    of: tuple[str, ...] | None = None  # the metrics to draw; else all that tell of learning, such as loss and gap
    x: Axis = "seconds"  # since the run started, or what each worker had done by then
    out: str | None = None  # the picture's file: .png, .svg, .pdf; else RUN.png, of the first run
    runs: str | None = None  # directory of all runs; else ~/.yarnml/runs, and that on the cluster


def main(args: Sequence[str]) -> int:
    said: Args = parse("yarnml plot", ABOUT, {"plot": Args}, args)["plot"]
    if not said.run:
        raise UsageError("say which run to plot, or several to compare (`yarnml runs` lists them)")
    found = [find(name, said.runs) for name in said.run]
    curves = {run.id: Curves(run.reported(), said.x, run.record().started) for run in found}
    file = Path(said.out or f"{found[0].id}.png")
    draw(file, _panels(curves, said.of, said.x), said.x)
    print(file)
    return 0


def _panels(runs: Mapping[str, Curves], wanted: Sequence[str] | None, axis: Axis) -> dict[str, Panel]:
    """A panel for each metric, of the runs that have reported it."""
    names = list(dict.fromkeys(name for curves in runs.values() for name in curves.names()))
    if not names:
        raise UsageError(f"nothing is reported by {axis} in {', '.join(runs)}" + _advice(axis))
    for name in wanted or ():
        if name not in names:
            raise UsageError(f"--of {name}: not reported by {', '.join(runs)}{nearest(name, names)}")
    panels: dict[str, Panel] = {}
    for name in wanted or [name for name in names if name not in ASIDE] or names:
        drawn = {run: curves.of(name) for run, curves in runs.items()}
        panels[name] = {run: curve for run, curve in drawn.items() if curve is not None}
    return panels


def _advice(axis: Axis) -> str:
    return " yet" if axis == "seconds" else "; try --x seconds"
