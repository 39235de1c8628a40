"""The plot of a bench: beside its rows, where it can be drawn."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from yarnml.errors import UsageError
from yarnml.monitor import plot


def draw(file: Path, panels: Mapping[str, plot.Panel], x: str) -> None:
    """See `monitor.plot.draw`. Says on standard error where it is, or why there is none: the rows are what counts."""
    try:
        plot.draw(file, panels, x)
    except UsageError as error:
        print(f"no plot: {error}", file=sys.stderr)
    else:
        print(f"plot: {file.resolve()}", file=sys.stderr)
