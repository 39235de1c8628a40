"""`yarnml run`: an app, from its flags to its exit code."""

from __future__ import annotations

import json
import math
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from yarnml.cli.flags import parse
from yarnml.config import config_to_dict, refuse_reserved
from yarnml.errors import UsageError
from yarnml.request import GROUPS, RESERVED

if TYPE_CHECKING:
    from yarnml.api import Run
    from yarnml.app import App

EXIT = {"succeeded": 0, "failed": 1, "deadline": 1, "interrupted": 130, "killed": 143}

HELP = """\
usage: yarnml run APP [--data URL] [--test URL|FRACTION] [--workers N] [the app's own flags] ...

Train on this machine: in this process, or with --workers 2 in several.
APP is a name (`yarnml apps` lists them) or the path of a folder (./my_app).
`yarnml run APP --help` shows all flags.
"""


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    ref, *rest = args
    if ref.startswith("-"):
        raise UsageError(f"say the app before its flags: yarnml run APP {ref} ...")
    as_json = "--json" in rest
    try:
        run = _start(ref, rest)
    except SystemExit:
        raise
    except BaseException as error:  # whatever it is, a program that reads our output should hear of it
        if as_json:
            print_json(run=None, app=ref, state="failed", seconds=0.0, result={}, message=str(error) or repr(error))
        raise
    return 0 if run is None else end(run, as_json)


def _start(ref: str, rest: Sequence[str]) -> Run | None:
    """The run, or None after --dry-run. Imports are here so that --help and a refusal needn't wait for them."""
    from yarnml.app import load_app

    app = load_app(ref)
    options, showing = _options(app, ref, rest)
    from yarnml.api import prepare, start
    from yarnml.monitor.terminal import view

    job = prepare(app, options)
    if showing.dry_run:
        from yarnml.cli.plan import plan

        print(plan(app, job), file=sys.stderr if showing.json else sys.stdout)
        if showing.json:
            print_json(run=None, app=app.name, state="planned", seconds=None, result={}, message="")
        return None
    run = start(job, view())
    signal.signal(signal.SIGTERM, lambda *_: run.kill())
    return run


def _options(app: App, ref: str, rest: Sequence[str]) -> tuple[dict[str, Any], Any]:
    """All options of app and run by name, and how to show it."""
    refuse_reserved(app.name, app.Config, RESERVED)
    name = app.name.replace("-", "_")
    filled = parse(f"yarnml run {ref}", app.about, {name: app.Config, **GROUPS}, rest)
    showing = filled.pop("output")
    return {key: value for group in filled.values() for key, value in config_to_dict(group).items()}, showing


def end(run: Run, as_json: bool) -> int:
    """Wait for the end of a run, tell it, and return its exit code."""
    outcome = run.finish()
    record = run.record
    if as_json:
        print_json(
            run=run.id,
            app=record.app,
            state=outcome.state,
            seconds=record.seconds,
            result=outcome.result or {},
            message=outcome.message,
        )
    if outcome.ok:
        _tell(outcome.result or {}, record.seconds or 0.0, sys.stderr if as_json else sys.stdout)
    else:
        print(f"yarnml: run {run.id} {outcome.state}: {outcome.message}", file=sys.stderr)
    return EXIT[outcome.state]


def _tell(result: dict[str, Any], seconds: float, stream: TextIO) -> None:
    """The results for a reader."""
    for part in ("train", "valid", "test"):
        if result.get(part):
            said = "  ".join(f"{name} {value:.5g}" for name, value in result[part].items())
            print(f"{part + ':':<6} {said}", file=stream)
    for note in result.get("notes", ()):
        print(f"note: {note}", file=stream)
    where = result.get("model") or result.get("out")
    print(f"done in {seconds:.1f} s" + (f": {where}" if where else ""), file=stream)


def print_json(*, run: str | None, app: str, state: str, seconds: float | None, result: Any, message: str) -> None:
    """The one line on standard output of --json; `message` says why a run didn't succeed."""
    line: dict[str, Any] = {"run": run, "app": app, "state": state, "seconds": seconds}
    line |= {"model": result.get("model"), "train": _scores(result, "train"), "test": _scores(result, "test")}
    line |= {"valid": _scores(result, "valid")} if result.get("valid") else {}
    line |= {"out": result["out"]} if result.get("out") else {}
    print(json.dumps(line | ({"message": message} if message else {})), flush=True)


def _scores(result: Any, part: str) -> dict[str, float | None]:
    """JSON has no NaN."""
    return {name: value if math.isfinite(value) else None for name, value in (result.get(part) or {}).items()}
