"""`yarnml predict MODEL`: short for `yarnml run predict --model MODEL`."""

from __future__ import annotations

from collections.abc import Sequence

from yarnml.cli import run
from yarnml.errors import UsageError

HELP = """\
usage: yarnml predict MODEL --data URL --out URL [--keep COLUMNS] [--top K] ...

Apply a model, by the URL it was saved at, to every row of a data set, in the rows' order.
`yarnml run predict --help` shows all flags.
"""


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if args else 2
    model, *rest = args
    if model.startswith("-"):
        raise UsageError(f"say the model before the flags: yarnml predict MODEL {model} ...")
    return run.main(["predict", "--model", model, *rest])
