"""`yarnml logs RUN`: what a run's processes said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from yarnml.cli.flags import parse
from yarnml.cli.where import find
from yarnml.runs import follow


@dataclass(frozen=True, kw_only=True)
class Args:
    run: Annotated[str, Positional]  # a run's id, or the beginning of it, or its URL
    follow: Annotated[bool, arg(aliases=["-f"]), FlagCreatePairsOff] = False  # go on until the run has ended
    runs: str | None = None  # directory of all runs; else ~/.yarnml/runs, and that on the cluster


def main(args: Sequence[str]) -> int:
    said = parse("yarnml logs", "What a run's processes said.", {"logs": Args}, args)["logs"]
    run = find(said.run, said.runs)

    def ended() -> bool:
        return not said.follow or run.record().state != "running"

    for name, line in follow(run.log_files, ended):
        print(f"{name:<9} | {line}", flush=said.follow)
    return 0
