"""`yarnml runs`: the runs so far."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from yarnml.cli.flags import parse
from yarnml.cli.where import everywhere
from yarnml.errors import DataError
from yarnml.runs import RunDir, default_runs


@dataclass(frozen=True, kw_only=True)
class Args:
    runs: str | None = None  # directory of all runs; else ~/.yarnml/runs
    last: int = 20  # how many to show


def main(args: Sequence[str]) -> int:
    said = parse("yarnml runs", "The runs so far, the latest last.", {"runs": Args}, args)["runs"]
    found, remarks = everywhere(said.runs)
    for remark in remarks:
        print(remark, file=sys.stderr)
    if not found:
        print(f"no runs in {said.runs or default_runs()}")
    for run in found[-said.last :]:
        print(line(run))
    return 0


def line(run: RunDir) -> str:
    """A run in one line: id, state, when it began, how long it took, its score or how it stands."""
    try:
        record = run.record()
    except DataError as error:
        return f"{run.id:<28} {'broken':<11} {error}"
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.started))
    seconds = record.seconds
    glance = run.glance()
    if record.state == "running" and glance is not None:
        said, seconds = "  ".join(glance.parts()), glance.seconds
    elif record.state == "succeeded":
        scores = record.result.get("test") or record.result.get("train") or {}
        said = "  ".join(f"{name} {value:.4g}" for name, value in scores.items())
    else:
        said = record.message.partition("\n")[0]
    took = "        -" if seconds is None else f"{seconds:7.1f} s"
    return f"{run.id:<28} {record.state:<11} {began} {took}  {said}"
