"""Waits: a knot is found, and nothing else is taken for one."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.comm.meeting import Meeting
from yarnml.comm.waits import STALE, Waits, knot

DONE = 1 << 62


@pytest.mark.parametrize(
    ("lacking", "stuck"),
    [
        ({}, []),
        ({0: {1}}, []),  # 1 computes
        ({0: {1}, 1: set()}, []),  # 1 waits for a slow server
        ({0: {1}, 1: {0}}, [0, 1]),
        ({0: {1}, 1: {2}, 2: {1}}, [0, 1, 2]),
        ({0: {1}, 1: {2}, 2: {3}}, []),
    ],
)
def test_a_knot(lacking: dict[int, set[int]], stuck: list[int]) -> None:
    assert knot(lacking) == stuck


def test_a_gather_and_a_clock_that_wait_for_each_other() -> None:
    waits, meeting = Waits(2), Meeting(2)
    waits.at(0, 3)
    meeting.hand_in(0, 0, np.zeros(1))
    assert waits.knotted(meeting, 0.0) == (0.0, ""), "worker 1 may compute"
    waits.at(1, 4)
    waits.says(1, "server 0 to send rows", 4, 1.0)
    waits.knotted(meeting, 1.0)
    waits.says(1, "server 0 to send rows", 4, 2.0)
    seconds, told = waits.knotted(meeting, 3.0)
    assert seconds == 2.0
    assert told == (
        "worker 0 waits for the others in a sum or gather, and so for worker 1; "
        "worker 1 waits for server 0 to send rows, and so for worker 0"
    )


@pytest.mark.parametrize("clock", [4, DONE])
def test_who_waits_for_a_slow_server_alone_is_in_no_knot(clock: int) -> None:
    """Worker 0 waits in a gather, but has come to the clock that worker 1's rows need."""
    waits, meeting = Waits(2), Meeting(2)
    waits.at(0, clock)
    meeting.hand_in(0, 0, np.zeros(1))
    waits.says(1, "server 0 to send rows", 4, 1.0)
    assert waits.knotted(meeting, 3.0) == (0.0, "")


def test_a_wait_ends_when_that_is_said_or_it_is_said_no_more() -> None:
    waits, meeting = Waits(2), Meeting(2)
    meeting.hand_in(0, 0, np.zeros(1))
    waits.says(1, "rows", 1, 1.0)
    assert waits.knotted(meeting, 2.0)[1]
    waits.says(1, "", 0, 2.0)
    assert not waits.knotted(meeting, 2.0)[1]
    waits.says(1, "rows", 1, 3.0)
    assert waits.knotted(meeting, 3.0) == (0.0, waits.knotted(meeting, 3.0)[1])
    assert not waits.knotted(meeting, 3.0 + STALE)[1]


def test_another_wait_of_the_same_workers_begins_anew() -> None:
    waits, meeting = Waits(2), Meeting(2)
    meeting.hand_in(0, 0, np.zeros(1))
    waits.says(1, "rows as of clock 0", 1, 0.0)
    waits.knotted(meeting, 0.0)
    waits.says(1, "rows as of clock 1", 2, 3.0)
    assert waits.knotted(meeting, 3.0)[0] == 0.0
