"""Curves: each worker's points in their order, a gap between workers."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.monitor.curves import Axis, Curves
from yarnml.monitor.metric import Metric


def metric(time: float, worker: int, clock: int | None, name: str = "loss", value: float = 1.0) -> Metric:
    return Metric(time=time, worker=worker, clock=clock, epoch=None, name=name, value=value)


REPORTED = [metric(11, 1, 0, value=5), metric(12, 0, 0, value=6), metric(14, 1, 3, value=4), metric(13, 0, None, "gap")]


@pytest.mark.parametrize(("axis", "x"), [("seconds", [2, np.nan, 1, 4]), ("clock", [0, np.nan, 0, 3])])
def test_a_metric_of_several_workers(axis: Axis, x: list[float]) -> None:
    found = Curves(REPORTED, axis, started=10).of("loss")
    assert found is not None
    np.testing.assert_array_equal(found, [x, [6, np.nan, 5, 4]])


def test_names_are_those_that_have_a_place_on_the_axis() -> None:
    assert Curves(REPORTED, "seconds", 10).names() == ["loss", "gap"]
    assert Curves(REPORTED, "clock", 10).names() == ["loss"]
    assert Curves(REPORTED, "epoch", 10).of("loss") is None
