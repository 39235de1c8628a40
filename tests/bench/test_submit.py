"""The comparison holds by the aims, says nothing of a peer that is missing, and reads Spark's event log."""

from __future__ import annotations

import json

import pytest

from yarnml.bench import submit
from yarnml.errors import UsageError


def test_holds_by_the_aims() -> None:
    assert [row.holds for row in submit.rows([12, 14, 90], [15, 16, 17])] == [True, True]
    assert [row.holds for row in submit.rows([21, 22, 23], [15, 16, 17])] == [False, False]


def test_a_missing_peer() -> None:
    first, second = submit.rows([12], [])
    assert (first.peer, first.ratio, first.holds) == (None, None, None)
    assert second.holds


def test_the_first_task_of_an_event_log() -> None:
    events = [
        {"Event": "SparkListenerApplicationStart", "Timestamp": 1},
        {"Event": "SparkListenerTaskStart", "Task Info": {"Launch Time": 3500}},
        {"Event": "SparkListenerTaskStart", "Task Info": {"Launch Time": 2500}},
    ]
    assert submit._first_task("\n".join(map(json.dumps, events))) == 2.5


def test_without_a_cluster_it_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "default_home", lambda: None)
    monkeypatch.setattr(submit, "adopt", lambda: None)
    with pytest.raises(UsageError, match="needs a Hadoop cluster: yarnml cluster up"):
        submit.run(quick=True)
