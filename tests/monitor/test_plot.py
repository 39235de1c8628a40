"""Plots: written, or refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from yarnml.errors import UsageError
from yarnml.monitor import plot
from yarnml.monitor.plot import draw

X = np.arange(4.0)
PANELS = {
    "loss": {"a": (X, 1 + X), "b": (X, 1000 * (1 + X))},
    "gap": {"a": (X, np.array([1.0, np.nan, 0.0, -1.0]))},
    "nothing": {"a": (X, np.full(4, np.nan))},
    "moved": {"a": (X, X)},
}


def test_it_is_written_by_its_suffix(tmp_path: Path) -> None:
    draw(tmp_path / "a.png", PANELS, "seconds")
    draw(tmp_path / "a.svg", PANELS, "seconds")
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_a_scale_is_logarithmic_where_only_that_shows_anything() -> None:
    assert [plot._wide([ys for _, ys in curves.values()]) for curves in PANELS.values()] == [True, False, False, False]


@pytest.mark.parametrize("name", ["a.nothing", "missing/a.png"])
def test_what_cannot_be_written_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"a\.\w+: can't be drawn: "):
        draw(tmp_path / name, PANELS, "seconds")


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(plot, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'yarnml\[plot\]'"):
        draw(tmp_path / "a.png", PANELS, "seconds")
