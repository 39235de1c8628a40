"""A bench's plot: what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from yarnml.bench.plot import draw

LINE = {"loss": {"ours": (np.arange(3.0), np.arange(3.0))}}


def test_it_says_where_the_plot_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw(tmp_path / "a.png", LINE, "seconds")
    assert capsys.readouterr().err == f"plot: {tmp_path / 'a.png'}\n"


def test_without_a_plot_the_bench_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw(tmp_path / "nowhere" / "a.png", LINE, "seconds")
    assert capsys.readouterr().err.startswith("no plot: ")
