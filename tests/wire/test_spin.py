"""A spin is left out where it doesn't pay."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count

import pytest

from yarnml.wire import spin
from yarnml.wire.spin import BULK_RESTS, CROWDED, Spin

Clock = Callable[[float], None]


@pytest.fixture
def yields(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Time goes on only while the core is given away: each time so long."""
    now, step = [0.0], [1e-6]

    def give_away() -> None:
        now[0] += step[0]

    monkeypatch.setattr(os, "sched_yield", give_away)
    monkeypatch.setattr(spin, "perf_counter", lambda: now[0])
    return lambda seconds: step.__setitem__(0, seconds)


def looks(times: int) -> Callable[[], int | None]:
    """Finds something the so-manieth time."""
    seen = count(1)
    return lambda: 7 if next(seen) >= times else None


def tries(made: Spin, n: int) -> int:
    """How often of n times it looks at all."""
    seen = [0]

    def look() -> None:
        seen[0] += 1

    tried = 0
    for _ in range(n):
        before = seen[0]
        made.until(look)
        tried += seen[0] > before
    return tried


def test_it_finds_what_comes_soon(yields: Clock) -> None:
    made = Spin(100e-6)
    for _ in range(100):
        assert made.until(looks(50)) == 7


def test_in_vain_it_is_left_out_ever_more(yields: Clock) -> None:
    assert tries(Spin(100e-6), 1000) < 12


def test_where_others_want_the_core_it_is_left_out(yields: Clock) -> None:
    made = Spin(1.0)
    yields(2 * CROWDED)
    assert made.until(looks(1)) == 7, "what was found is not lost"
    assert tries(made, 1000) < 12


def test_after_bulk_it_rests(yields: Clock) -> None:
    made = Spin(100e-6)
    made.rest()
    assert [made.until(looks(1)) for _ in range(BULK_RESTS + 1)] == [None] * BULK_RESTS + [7]


def test_none_at_all() -> None:
    assert Spin(0.0).until(looks(1)) is None
