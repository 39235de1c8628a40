"""Patience ends after as many passes without a gain as it was given."""

from __future__ import annotations

from yarnml.app.patience import Patience


def test_over_after_passes_without_a_gain() -> None:
    watch = Patience(2)
    seen = [(watch.better(value), watch.over) for value in (3.0, 2.0, 2.5, 1.0, 1.0, float("nan"))]
    assert [better for better, _ in seen] == [True, True, False, True, False, False]
    assert [over for _, over in seen] == [False, False, False, False, False, True]
    assert (watch.best, watch.best_pass) == (1.0, 4)


def test_nothing_to_go_by() -> None:
    watch = Patience(1)
    assert not watch.better(float("nan"))
    assert watch.over
    assert watch.best_pass == 0
