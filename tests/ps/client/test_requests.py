"""Requests: only what was asked is an answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from yarnml.ps import TableSpec
from yarnml.ps.client.cache import Cache
from yarnml.ps.client.requests import Requests
from yarnml.wire.message import Get, Rows

CACHE = Cache(TableSpec("W", (10, 2), staleness=0), servers=2)
ROWS = Rows(seq=1, table=0, start=1, stop=2, values=(np.zeros((1, 2), np.float32),))


@pytest.fixture
def requests() -> Requests:
    made = Requests(incarnation=0)
    made.asked(0, Get(seq=made.number(), table=0, start=1, stop=2))
    return made


def test_the_answer(requests: Requests) -> None:
    assert requests.fits(0, ROWS, CACHE)
    requests.answered(1)
    assert 1 not in requests
    assert list(requests) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": 2, "stop": 3},
        {"table": 1},
        {"values": (np.zeros((1, 2), np.float64),)},
        {"values": (np.zeros((1, 3), np.float32),)},
        {"start": 0, "stop": 0, "rows": np.array([1])},
        {"start": 4, "stop": 6},
    ],
    ids=["rows", "table", "dtype", "width", "list", "beyond"],
)
def test_what_was_not_asked(requests: Requests, wrong: dict[str, object]) -> None:
    assert not requests.fits(0, replace(ROWS, **wrong), CACHE)  # type: ignore[arg-type]


def test_an_answer_of_another_server(requests: Requests) -> None:
    assert not requests.fits(1, ROWS, CACHE)


def test_numbers_of_a_successor_are_none_of_those_before() -> None:
    before, after = Requests(incarnation=1), Requests(incarnation=2)
    assert before.number() < 2 << 32 < after.number()
