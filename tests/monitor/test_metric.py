"""Metrics: every report becomes lines of one form."""

from __future__ import annotations

import json
import math

from yarnml.monitor.metric import Metric, metrics


def test_a_report_becomes_a_line_for_each_number() -> None:
    first, second = metrics({"clock": 7.0, "epoch": 2, "loss": 0.5, "moved": 3}, worker=1, time=10.0)
    assert first == Metric(time=10.0, worker=1, clock=7, epoch=2, name="loss", value=0.5)
    assert (second.name, second.value) == ("moved", 3.0)


def test_lines_are_json_and_come_back() -> None:
    metric = Metric(time=10.0, worker=1, clock=None, epoch=None, name="loss", value=0.5)
    assert Metric.from_line(metric.line()) == metric


def test_a_loss_that_is_not_finite_is_null() -> None:
    (metric,) = metrics({"loss": math.inf}, worker=0, time=0.0)
    assert json.loads(metric.line())["value"] is None
    assert math.isnan(Metric.from_line(metric.line()).value)
