"""What a terminal shows, and how little where there is none."""

from __future__ import annotations

import io
from dataclasses import replace

from yarnml.monitor.progress import Glance
from yarnml.monitor.terminal import PATIENCE, PAUSE, Lines, Live, view

GLANCE = Glance(time=100.0, seconds=1.0, clock=1, loss=0.5, workers=1)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_are_few() -> None:
    out = io.StringIO()
    lines = Lines(out)
    for step in range(100):
        lines.show(replace(GLANCE, time=100.0 + step * PAUSE / 50, clock=step))
    assert len(out.getvalue().splitlines()) == 2


def test_a_line_that_says_nothing_new_is_rarer_still() -> None:
    out = io.StringIO()
    lines = Lines(out)
    for step in range(100):
        lines.show(replace(GLANCE, time=100.0 + step * PATIENCE / 50))
    assert len(out.getvalue().splitlines()) == 2


def test_the_last_state_is_shown_whatever_was_dropped() -> None:
    out = io.StringIO()
    lines = Lines(out)
    lines.show(GLANCE)
    last = replace(GLANCE, time=100.1, clock=9)
    lines.show(last)
    lines.close(last)
    assert "clock 9" in out.getvalue().splitlines()[-1]


def test_nothing_is_shown_of_nothing() -> None:
    out = io.StringIO()
    lines = Lines(out)
    lines.show(Glance(time=1.0))
    lines.close(Glance(time=2.0))
    assert out.getvalue() == ""


def test_a_terminal_gets_one_live_line_and_keeps_what_is_said() -> None:
    out = Terminal()
    live = view(out)
    assert isinstance(live, Live)
    live.say("train: a9a [32,561 rows]")
    live.show(GLANCE)
    live.close(replace(GLANCE, clock=9))
    assert "train: a9a [32,561 rows]" in out.getvalue()
    assert "clock 9" in out.getvalue()


def test_a_file_gets_lines() -> None:
    assert isinstance(view(io.StringIO()), Lines)
