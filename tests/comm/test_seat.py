"""Seats are named as a user reads them."""

from __future__ import annotations

import pytest

from yarnml.comm.seat import Seat, seats, spoken


def test_a_run_has_a_seat_for_each_process() -> None:
    assert seats({"worker": 2, "server": 1}) == (Seat("worker", 0), Seat("worker", 1), Seat("server", 0))


@pytest.mark.parametrize(
    ("these", "text"),
    [
        ([Seat("worker", 3)], "worker 3"),
        ([Seat("worker", 2), Seat("server", 0), Seat("worker", 1)], "server 0, workers 1, 2"),
        ([], ""),
    ],
)
def test_seats_in_a_sentence(these: list[Seat], text: str) -> None:
    assert spoken(these) == text
