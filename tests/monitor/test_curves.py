"""Curves: what all workers have said about a time, averaged."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.monitor.curves import POINTS, Axis, Curves
from yarnml.monitor.metric import Metric


def metric(time: float, worker: int, clock: int | None, name: str = "loss", value: float = 1.0) -> Metric:
    return Metric(time=time, worker=worker, clock=clock, epoch=None, name=name, value=value)


REPORTED = [
    metric(11, 1, 0, value=5),
    metric(13, 0, 0, value=7),
    metric(14, 1, 3, value=4),
    metric(15, 0, 4, value=3),
    metric(13, 0, None, "gap"),
]


@pytest.mark.parametrize(("axis", "x"), [("seconds", [2, 4.5]), ("clock", [0, 3.5])])
def test_a_metric_of_several_workers(axis: Axis, x: list[float]) -> None:
    found = Curves(REPORTED, axis, started=10).of("loss")
    assert found is not None
    np.testing.assert_array_equal(found, [x, [6, 3.5]])


def test_names_are_those_that_have_a_place_on_the_axis() -> None:
    assert Curves(REPORTED, "seconds", 10).names() == ["loss", "gap"]
    assert Curves(REPORTED, "clock", 10).names() == ["loss"]
    assert Curves(REPORTED, "epoch", 10).of("loss") is None


def test_many_points_are_as_many_as_can_be_seen() -> None:
    found = Curves([metric(t, 0, t, value=t % 2) for t in range(10_000)], "clock", 0).of("loss")
    assert found is not None
    x, y = found
    assert (len(x), x[0], x[-1]) == (POINTS, 24.5, 9974.5)
    np.testing.assert_array_equal(y, 0.5)
