"""Specifications, initial values, and which server holds which rows."""

from __future__ import annotations

import numpy as np
import pytest

from yarnml.errors import UsageError
from yarnml.ps import TableSpec, constant, normal, zeros
from yarnml.ps.spec import bounds, resolve


def test_every_row_has_one_server() -> None:
    for rows in (1, 2, 7, 100):
        for servers in (1, 2, 3, 9):
            cuts = bounds(rows, servers)
            assert cuts[0] == 0
            assert cuts[-1] == rows
            assert max(np.diff(cuts)) - min(np.diff(cuts)) <= 1


def test_the_run_says_what_a_table_does_not() -> None:
    run, own, free = resolve([TableSpec("a", (1, 1)), TableSpec("b", (1, 1), staleness=0),
                              TableSpec("c", (1, 1), staleness=None)], 3)  # fmt: skip
    assert (run.staleness, own.staleness, free.staleness) == (3, 0, None)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: TableSpec("a", (0, 1)), "'a' of shape"),
        (lambda: TableSpec("a", (1, 1), dtype="float16"), "'float16'"),
        (lambda: TableSpec("a", (1, 1), staleness=-1), "staleness -1"),
        (lambda: resolve([TableSpec("a", (1, 1))] * 2, 0), "same name"),
    ],
)
def test_what_cannot_be(make: object, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        make()  # type: ignore[operator]


def test_initial_values_depend_on_seed_table_and_row_only() -> None:
    whole = normal(2.0).rows(5, "W", 0, 5000, 4)
    np.testing.assert_array_equal(whole[100:200], normal(2.0).rows(5, "W", 100, 200, 4))
    assert abs(whole.mean()) < 0.06
    assert abs(whole.std() - 2) < 0.06
    for other in (normal(2.0).rows(6, "W", 0, 5000, 4), normal(2.0).rows(5, "V", 0, 5000, 4)):
        assert abs(np.corrcoef(whole.ravel(), other.ravel())[0, 1]) < 0.05
    assert (np.broadcast_to(constant(3).rows(0, "W", 2, 5, 2), (3, 2)) == 3).all()
    assert (zeros().rows(0, "W", 0, 1, 1) == 0).all()
