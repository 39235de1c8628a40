"""Records of what died in the middle of something: the judge allows what may have been, and nothing more."""

from __future__ import annotations

import pytest

from tests.faults.record import Line, add
from tests.ps.history import History
from yarnml.ps.spec import TableSpec

ENDED: list[Line] = [["begin", 0], ["inc", 0, 0, [0], [3.0]], ["ending", 0], ["clock", 0]]


def history() -> History:
    return History((TableSpec("exact", (1, 1), staleness=0),), workers=1)


@pytest.mark.parametrize("goes_on_at", [1, 2])
def test_who_died_while_it_ended_a_clock_may_have_ended_it(goes_on_at: int) -> None:
    known = history()
    add(known, 0, [*ENDED, ["inc", 1, 0, [0], [4.0]], ["ending", 1], ["begin", goes_on_at]])
    assert known.total(0).tolist() == [[3.0 if goes_on_at == 1 else 7.0]]


@pytest.mark.parametrize(
    ("lines", "skipping"),
    [(ENDED, 2), ([*ENDED, ["ending", 1], ["clock", 1]], 3), ([["back", 1], ["ending", 1], ["back", 1]], 2)],
)
def test_a_clock_that_nobody_began_to_end_is_not_skipped(lines: list[Line], skipping: int) -> None:
    known = history()
    add(known, 0, lines)
    with pytest.raises(AssertionError, match="skips clock"):
        known.begin(0, skipping)
