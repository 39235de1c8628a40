"""`yarnml submit`: an app on a Hadoop cluster, from its flags to its exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yarnml.cli.line import refusal, wanted
from yarnml.cli.run import app_and_flags, end, options_of, tell_plan
from yarnml.cli.signals import on_term
from yarnml.request import GROUPS_ON_YARN

if TYPE_CHECKING:
    from yarnml.started import Run

HELP = """\
usage: yarnml submit APP --data URL [--workers N] [--servers N] [--queue Q] [the app's own flags] ...
       yarnml submit --resume RUN [flags that are to differ] ...

Train on the Hadoop cluster of HADOOP_CONF_DIR, or on the one of this machine (`yarnml cluster up`).
`yarnml submit APP --help` shows all flags; `yarnml submit predict --model URL --data URL --out URL` applies a model.
"""


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    ref, rest = app_and_flags("submit", args)
    as_json = wanted(rest)
    with refusal(ref, as_json):
        run, detached = _start(ref, rest)
    if run is None:
        return 0
    return _detach(run, as_json) if detached else end(run, as_json)


def _start(ref: str, rest: Sequence[str]) -> tuple[Run | None, bool]:
    """The run, None after --dry-run, and whether it is left to itself. Imports are here so that --help needn't wait."""
    from yarnml.app import load_app

    app = load_app(ref)
    options, showing = options_of(app, f"yarnml submit {ref}", rest, GROUPS_ON_YARN)
    from yarnml.monitor.terminal import view
    from yarnml.submission import Submission

    with Submission.prepare(app, options, view(), dry=showing.dry_run) as submission:
        if showing.dry_run:
            from yarnml.cli.plan import plan

            where = f"containers of YARN, queue {submission.wish.queue}"
            tell_plan(app, plan(app, submission.job, where), showing.json)
            return None, True
        run = submission.start()
    on_term(run.kill)
    return run, submission.wish.detach


def _detach(run: Run, as_json: bool) -> int:
    print(json.dumps({"run": run.id, "app": run.app, "state": "running"}) if as_json else run.id)
    print(
        f"yarnml status {run.id}, yarnml logs {run.id} -f, yarnml kill {run.id} work from any machine", file=sys.stderr
    )
    return 0
