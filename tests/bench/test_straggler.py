"""The straggler bench: what throughput allows, and what its rows say of curves."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.bench.straggler import STALENESS, bound, rows
from yarnml.bench.team import Curve


def curve(speed: float, apart: int = 0) -> Curve:
    """A loss that falls alike by clock, of so many clocks a second."""
    clocks = np.arange(1, 101).astype(np.float64)
    return Curve(clocks / speed, 1 / clocks, 10.0 * clocks, np.full(100, float(apart)))


def test_what_throughput_allows() -> None:
    allowed = [bound(s, 200) for s in STALENESS]
    assert allowed[0] == 1
    assert allowed == sorted(allowed)
    assert allowed[1] == pytest.approx(1.3, abs=0.05)
    assert allowed[2] == pytest.approx(1.55, abs=0.05)
    assert allowed[3] == pytest.approx(1.67, abs=0.05)


def test_rows_compare_seconds_to_the_loss_of_bsp() -> None:
    speeds = {0: 10.0, 1: 12.0, 3: 14.0, 10: 13.0, None: 15.0}
    found = rows("mf", {s: curve(speed, apart=0 if s is None else s) for s, speed in speeds.items()}, 100)
    assert [row.ratio for row in found[:4]] == pytest.approx([1.2, 1.4, 1.3, 1.5])
    assert "by throughput" in found[0].aim
    assert found[4].ratio == pytest.approx(1.4), "ASP is no SSP"
    assert found[4].holds is True
    slow = rows("mf", {s: curve(10.0) for s in STALENESS}, 100)
    assert slow[4].holds is False


def test_a_loss_that_is_never_reached() -> None:
    assert curve(1.0).reaches(0.001, curve(1.0).seconds) == float("inf")
