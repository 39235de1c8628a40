"""Progress: what all workers' reports amount to."""

from __future__ import annotations

import math

import pytest

from yarnml.monitor.progress import WINDOW, Glance, Progress, short


def test_nothing_reported_is_nothing_said() -> None:
    assert Progress(100.0).glance(101.0) == Glance(time=101.0, seconds=1.0)


def test_the_slowest_clock_the_mean_loss_the_largest_staleness() -> None:
    progress = Progress(0.0)
    progress.take(0, {"clock": 9, "loss": 1.0, "staleness": 0}, 1.0)
    progress.take(1, {"clock": 7, "loss": 2.0, "staleness": 2}, 1.0)
    glance = progress.glance(1.0)
    assert (glance.clock, glance.loss, glance.staleness, glance.workers) == (7, 1.5, 2, 2)


def test_rates_are_of_the_last_seconds_and_of_all_workers() -> None:
    progress = Progress(0.0)
    for second in range(1, 31):
        speed = 10 if second <= 15 else 100
        done = 10 * min(second, 15) + 100 * max(0, second - 15)
        progress.take(0, {"rows": done}, float(second))
        progress.take(1, {"rows": done}, float(second))
        if second > WINDOW and not 15 < second <= 15 + WINDOW:
            assert progress.glance(float(second)).rows_per_s == pytest.approx(2 * speed, rel=0.15)


def test_a_rate_falls_to_nothing_when_nobody_reports() -> None:
    progress = Progress(0.0)
    progress.take(0, {"rows": 100}, 1.0)
    assert progress.glance(2.0).rows_per_s == 50
    assert progress.glance(2.0 + 2 * WINDOW).rows_per_s == 0


def test_what_nobody_counts_has_no_rate() -> None:
    progress = Progress(0.0)
    progress.take(0, {"clock": 1, "tokens": 100}, 1.0)
    glance = progress.glance(2.0)
    assert (glance.rows_per_s, glance.tokens_per_s) == (None, 50)


def test_a_replaced_worker_begins_at_nothing_and_slows_no_rate_below_it() -> None:
    progress = Progress(0.0)
    progress.take(0, {"rows": 1000}, 1.0)
    progress.take(1, {"rows": 1000}, 1.0)
    progress.take(1, {"rows": 100}, 2.0)  # another process speaks for it
    assert progress.glance(2.0).rows_per_s == 2100 / 2


def test_going_back_forgets_no_totals_of_those_who_stay() -> None:
    progress = Progress(0.0)
    progress.take(0, {"rows": 1000}, 1.0)
    progress.go_back(1, "worker 1 died", 2.0)
    assert progress.glance(3.0).rows_per_s is None  # nobody has reported since
    progress.take(0, {"rows": 1100}, 3.0)
    progress.take(1, {"rows": 50}, 3.0)
    assert progress.glance(3.0).rows_per_s == 150


def test_a_number_said_once_stays_until_it_is_said_again() -> None:
    progress = Progress(0.0)
    progress.take(0, {"clock": 1, "epoch": 0, "loss": 2.0}, 1.0)
    progress.take(0, {"clock": 2}, 2.0)
    assert progress.glance(2.0).loss == 2.0


def test_a_glance_comes_back_from_json_without_nan() -> None:
    glance = Glance(time=1.0, clock=3, loss=math.nan)
    assert glance.to_json()["loss"] is None
    assert Glance.from_json(glance.to_json()) == Glance(time=1.0, clock=3)


def test_said_in_words() -> None:
    glance = Glance(time=1.0, clock=1200, loss=0.33014, rows_per_s=1.25e6, bytes_in_per_s=2e6, workers=2)
    assert glance.parts() == ["clock 1,200", "loss 0.33014", "1.25 M rows/s", "2.0 MB/s in", "2 workers"]
    rates = Glance(time=1.0, rows_per_s=0.0, tokens_per_s=2.5e7)  # no rows, for now: that is not worth a word
    assert rates.parts() == ["25 M tokens/s"]
    assert [short(x) for x in (3, 4500, 2.5e9)] == ["3", "4.5 k", "2.5 G"]
