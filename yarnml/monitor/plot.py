"""A plot: curves in a picture. matplotlib draws it, which only the extras `plot` and `bench` bring."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from yarnml.errors import UsageError

Array = npt.NDArray[Any]
Panel = Mapping[str, tuple[Array, Array]]  # a curve's name -> its x and y, broken where they are nan

WIDE = 3  # panels beside each other
DOTS = 100  # points below which each is shown as one
LOG = 100.0  # times its least that a curve's greatest value is, from where on the scale is logarithmic


def draw(file: Path, panels: Mapping[str, Panel], x: str) -> None:
    """A panel of its own for each of these, by title, over what `x` calls the axis that they share.

    The file's suffix says its kind. Raises UsageError where it can't be drawn or written.
    """
    if find_spec("matplotlib") is None:
        raise UsageError("a plot needs matplotlib, which isn't installed; pip install 'yarnml[plot]'")
    import matplotlib as mpl

    mpl.use("agg")  # no window: on a gateway there is no screen
    from matplotlib import pyplot

    columns = min(WIDE, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(5 * columns, 4 * rows), squeeze=False)
    try:
        for axis, (title, curves) in zip(axes.flat, panels.items(), strict=False):
            for name, (xs, ys) in curves.items():
                axis.plot(xs, ys, label=name, linewidth=1, marker="." if np.isfinite(ys).sum() < DOTS else None)
            axis.set(title=title, xlabel=x, yscale="log" if _wide([ys for _, ys in curves.values()]) else "linear")
            axis.legend()
        for axis in axes.flat[len(panels) :]:
            axis.axis("off")
        figure.tight_layout()
        figure.savefig(file, dpi=120)
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: can't be drawn: {error}") from None
    finally:
        pyplot.close(figure)


def _wide(curves: list[Array]) -> bool:
    """Whether the values are so far apart that only their logarithms show more than the greatest."""
    values = np.concatenate(curves)
    values = values[np.isfinite(values)]
    return len(values) > 0 and bool(values.min() > 0 and values.max() > LOG * values.min())
