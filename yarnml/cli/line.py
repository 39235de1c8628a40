"""The line of --json: the one on standard output that tells a program how it went. It always comes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from yarnml.cli.signals import ended_by


def wanted(args: Sequence[str]) -> bool:
    """Whether --json is said, read ahead of the parser: what is refused should be told, too."""
    return any(word.lower() in ("--json", "--json=true") for word in args)


@contextmanager
def refusal(app: str, as_json: bool) -> Iterator[None]:
    """Whatever ends the block before there is a run, a program that reads our output hears of it."""
    try:
        yield
    except SystemExit:
        raise
    except BaseException as error:
        if as_json:
            state = ended_by(error)
            message = str(error) or (repr(error) if state == "failed" else f"{state} before it was started")
            print_json(run=None, app=app, state=state, seconds=0.0, result={}, message=message)
        raise


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
