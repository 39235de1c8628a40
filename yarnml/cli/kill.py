"""`yarnml kill RUN`: end a run, from anywhere that sees its directory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional

from yarnml.cli.flags import parse
from yarnml.errors import RunFailed
from yarnml.runs import default_runs, find_run, wait_for


@dataclass(frozen=True, kw_only=True)
class Args:
    run: Annotated[str, Positional]  # a run's id, or the beginning of it, or its URL
    deadline: float = 60.0  # seconds to wait for its end
    runs: str | None = None  # directory of all runs; else ~/.yarnml/runs


def main(args: Sequence[str]) -> int:
    said = parse("yarnml kill", "End a run, and wait until it has ended.", {"kill": Args}, args)["kill"]
    run = find_run(said.runs or default_runs(), said.run)
    state = run.record().state
    if state != "running":
        print(f"run {run.id} has ended already: {state}", file=sys.stderr)
        return 0
    run.ask_to_end()
    if not wait_for(lambda: run.record().state != "running", said.deadline):
        driver = f"its driver is pid {run.record().pid} on {run.record().host}"
        raise RunFailed(f"run {run.id} was asked to end and still runs after {said.deadline:g} s; {driver}")
    print(f"run {run.id} has ended: {run.record().state}")
    return 0
