"""Lines between a driver and its scheduler."""

from __future__ import annotations

import pytest

from yarnml.comm.effects import Report, Say, Setback
from yarnml.comm.events import Stop
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.launch.pipe import line, parsed

SAID = [
    Report(1, {"loss": float("inf"), "clock": 3}, "server"),
    Say("two\nlines"),
    Setback(2, 400, "worker 1 (pid 7) was killed by SIGKILL"),
    Stop("interrupted", "interrupted by Ctrl-C"),
    Outcome("failed", "no", Seat("worker", 1)),
    Outcome("succeeded", result={"train": {"accuracy": 0.5}}),
]


@pytest.mark.parametrize("said", SAID, ids=lambda said: type(said).__name__)
def test_what_is_said_is_heard(said: object) -> None:
    text = line(said)  # type: ignore[arg-type]
    assert "\n" not in text
    assert parsed(text) == said
