"""`yarnml run`: an app, from its flags to its exit code."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from yarnml.checkpoints import parted
from yarnml.cli.flags import parse, said, value_of
from yarnml.cli.line import print_json, refusal, wanted
from yarnml.cli.onward import NOTHING, onward
from yarnml.cli.signals import CODES, deaf, leave, on_term
from yarnml.cli.where import find
from yarnml.comm.outcome import Outcome
from yarnml.config import config_to_dict, refuse_reserved
from yarnml.errors import DataError, UsageError
from yarnml.request import GROUPS, RESERVED
from yarnml.runs import RunDir

if TYPE_CHECKING:
    from yarnml.api import Run
    from yarnml.app import App

EXIT = {"succeeded": 0, "failed": 1, "deadline": 1} | CODES

HELP = """\
usage: yarnml run APP [--data URL] [--test URL|FRACTION] [--workers N] [the app's own flags] ...
       yarnml run --resume RUN [flags that are to differ] ...

Train on this machine: in this process, or with --workers 2 in several.
APP is a name (`yarnml apps` lists them) or the path of a folder (./my_app).
`yarnml run APP --help` shows all flags.
"""


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    ref, rest = app_and_flags("run", args)
    as_json = wanted(rest)
    with refusal(ref, as_json):
        run = _start(ref, rest)
    return 0 if run is None else end(run, as_json)


def app_and_flags(command: str, args: Sequence[str]) -> tuple[str, list[str]]:
    """The app, of the run to be resumed if it isn't said, and the flags after it."""
    if not args[0].startswith("-"):
        return args[0], list(args[1:])
    name = value_of("--resume", args)
    if name is None:
        raise UsageError(f"say the app before its flags: yarnml {command} APP {args[0]} ...")
    return find(parted(name)[0], value_of("--runs", args)).record().app, list(args)


def _start(ref: str, rest: Sequence[str]) -> Run | None:
    """The run, or None after --dry-run. Imports are here so that --help and a refusal needn't wait for them."""
    from yarnml.app import load_app

    app = load_app(ref)
    options, showing = options_of(app, f"yarnml run {ref}", rest, GROUPS)
    from yarnml.api import prepare, start
    from yarnml.monitor.terminal import view

    job = prepare(app, options, say=lambda line: print(line, file=sys.stderr, flush=True))
    if showing.dry_run:
        from yarnml.cli.plan import plan

        tell_plan(app, plan(app, job), showing.json)
        return None
    asked: list[bool] = []
    on_term(lambda: asked.append(True))  # a run that is half started can't be told yet
    run = start(job, view())
    on_term(run.kill)
    if asked:
        run.kill()
    return run


def options_of(app: App, prog: str, args: Sequence[str], groups: Mapping[str, type]) -> tuple[dict[str, Any], Any]:
    """All options of app and run by name, and how to show it, from the flags after the app."""
    refuse_reserved(app.name, app.Config, RESERVED)
    filled = parse(prog, app.about, {app.name.replace("-", "_"): app.Config, **groups}, args)
    showing = filled.pop("output")
    options = {key: value for group in filled.values() for key, value in config_to_dict(group).items()}
    if options.get("resume") is not None:
        new = said(args, {app.name.replace("-", "_"): app.Config, **groups})
        options = {name: value for name, value in options.items() if name in new}
        run, checkpoint = parted(options["resume"])
        options["resume"] = checkpoint or find(run, options.get("runs")).url
    return options, showing


def tell_plan(app: App, text: str, as_json: bool) -> None:
    """What --dry-run ends with; --json keeps standard output for its line."""
    print(text, file=sys.stderr if as_json else sys.stdout)
    if as_json:
        print_json(run=None, app=app.name, state="planned", seconds=None, result={}, message="")


def end(run: Run, as_json: bool) -> int:
    """Wait for the end of a run, tell it, and return its exit code."""
    try:
        outcome = run.finish()
    except KeyboardInterrupt:  # once more, while it was ending
        deaf()
        unknown = Outcome("interrupted", "interrupted again by Ctrl-C while it ended; how it ended isn't known")
        outcome = unknown if run.outcome is None else run.finish()
    result, seconds = outcome.result or {}, _seconds(run)
    if as_json:
        print_json(
            run=run.id, app=run.app, state=outcome.state, seconds=seconds, result=result, message=outcome.message
        )
    if outcome.ok:
        _tell(result, seconds, sys.stderr if as_json else sys.stdout)
    else:
        print(f"yarnml: run {run.id} {outcome.state}: {outcome.message}", file=sys.stderr)
        for line in onward(RunDir(run.url)) or [NOTHING][: outcome.state != "failed"]:
            if line not in outcome.message:
                print(f"yarnml: {line}", file=sys.stderr)
    return leave(EXIT[outcome.state])


def _seconds(run: Run) -> float | None:
    """How long it took, None where its record can't be read or written."""
    with suppress(OSError, DataError):
        return run.record.seconds
    return None


def _tell(result: dict[str, Any], seconds: float | None, stream: TextIO) -> None:
    """The results for a reader."""
    for part in ("train", "valid", "test"):
        if result.get(part):
            said = "  ".join(f"{name} {value:.5g}" for name, value in result[part].items())
            print(f"{part + ':':<6} {said}", file=stream)
    for line in result.get("summary", ()):
        print(line, file=stream)
    for note in result.get("notes", ()):
        print(f"note: {note}", file=stream)
    where = result.get("model") or result.get("out")
    print("done" + ("" if seconds is None else f" in {seconds:.1f} s") + (f": {where}" if where else ""), file=stream)
