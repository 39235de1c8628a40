"""`yarnml kill RUN`: end a run, from anywhere that sees its directory; again, or with --now: at once."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional

from yarnml.cli.flags import parse
from yarnml.cli.onward import NOTHING, onward
from yarnml.cli.where import find
from yarnml.errors import RunFailed
from yarnml.runs import RunDir, wait_for

UNHEARD = 5.0  # seconds in which a driver that was silent might heed it


@dataclass(frozen=True, kw_only=True)
class Args:
    run: Annotated[str, Positional]  # a run's id, or the beginning of it, or its URL
    deadline: float = 60.0  # seconds to wait for its end
    now: bool = False  # end it at once; else it may take a last checkpoint, for which it has --grace seconds
    runs: str | None = None  # directory of all runs; else ~/.yarnml/runs, and that on the cluster


def main(args: Sequence[str]) -> int:
    said = parse("yarnml kill", "End a run, and wait until it has ended.", {"kill": Args}, args)["kill"]
    run = find(said.run, said.runs)
    record = run.record()
    state = record.state
    if state not in ("running", "lost"):
        print(f"run {run.id} has ended already: {state}", file=sys.stderr)
        return 0
    if state == "lost" and not record.application and record.host == socket.gethostname():
        print(f"run {run.id} has ended already: lost", file=sys.stderr)
        return 0
    for _ in range(1 + said.now):
        run.ask_to_end()
    if state == "lost" and not record.application and not wait_for(lambda: run.ended, min(said.deadline, UNHEARD)):
        raise RunFailed(
            f"run {run.id} was asked to end, but whether it has isn't known: its driver, pid {record.pid} on "
            f"{record.host}, gives no sign of life"
        )
    if record.application:
        _end_on_yarn(run, record.application)
    if not wait_for(lambda: run.record().state != "running", said.deadline):
        driver = f"its driver is pid {run.record().pid} on {run.record().host}"
        still = f"run {run.id} was asked to end and still runs after {said.deadline:g} s; {driver}"
        raise RunFailed(f"{still}; `yarnml kill` once more ends it at once")
    print(f"run {run.id} has ended: {run.record().state}")
    for line in onward(run) or [NOTHING]:
        print(line)
    return 0


def _end_on_yarn(run: RunDir, application: str) -> None:
    """Its scheduler is asked first, since it can write down how far the run came; then YARN."""
    from yarnml.launch.yarn.launcher import end
    from yarnml.launch.yarn.site import Site
    from yarnml.monitor.terminal import view

    end(Site.find(), run, application, view())
