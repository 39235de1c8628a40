"""A plot: a bench's curves in a file, where matplotlib is installed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from numpy.typing import NDArray

Curves = Mapping[str, tuple[NDArray[float], NDArray[float]]]  # type: ignore[type-var]


def draw(file: Path, panels: Mapping[str, Curves], x: str) -> None:
    """A panel for each of these, of curves over x by name. Says on standard error where it is, or what it lacks."""
    if find_spec("matplotlib") is None:
        print("no plot: matplotlib isn't installed; pip install 'yarnml[bench]'", file=sys.stderr)
        return
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(panels), figsize=(5 * len(panels), 4), squeeze=False)
    for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
        for name, (xs, ys) in curves.items():
            axis.plot(xs, ys, label=name)
        axis.set(title=title, xlabel=x)
        axis.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    pyplot.close(figure)
    print(f"plot: {file.resolve()}", file=sys.stderr)
