"""Slots: who has one keeps it while it is needed, and the rest lose theirs by age."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from yarnml.ps.client.slots import Everywhere, Few


@given(st.integers(2, 24), st.lists(st.sets(st.integers(0, 60), max_size=12), max_size=30))
def test_each_row_has_a_slot_of_its_own(size: int, asked: list[set[int]]) -> None:
    slots = Few(size)
    held: set[int] = set()
    for some in asked:
        rows = np.array(sorted(some)[: slots.most], np.int64)
        at, lost = slots.give(rows)
        slots.check()
        assert (at >= 0).all()
        assert len(set(at.tolist())) == len(rows)
        assert not set(lost.tolist()) & set(rows.tolist()), "what is asked for stays"
        assert set(lost.tolist()) <= held
        held = (held - set(lost.tolist())) | set(rows.tolist())
        assert set(slots.rows(slots.within(0, 61)).tolist()) == held
        assert set(slots.rows(slots.within(5, 9)).tolist()) == held & {5, 6, 7, 8}
        np.testing.assert_array_equal(slots.at(rows), at)
    for row in set(range(61)) - held:
        assert slots.at(np.array([row]))[0] == -1


def test_what_is_used_stays_longer() -> None:
    slots = Few(16)
    slots.give(np.arange(8))
    slots.give(np.arange(8, 16))
    slots.give(np.arange(20, 22))  # the hand has passed all: they go by age now
    slots.at(np.arange(2, 4))
    lost = np.concatenate([slots.give(np.array([r]))[1] for r in range(30, 36)])
    assert len(lost)
    assert not set(lost.tolist()) & {2, 3}


def test_everywhere_is_where_it_is() -> None:
    slots = Everywhere(5)
    rows = np.array([1, 4])
    assert slots.at(rows) is rows
    assert len(slots.give(rows)[1]) == 0
