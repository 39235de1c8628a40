"""How far it has come is said from time to time, not each time."""

from __future__ import annotations

import pytest

from yarnml.monitor.pace import paced


def test_not_more_than_one_remark_in_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    said: list[str] = []
    progress = paced(said.append, "{:,} of {:,}")
    for step in range(10):
        now = float(step)  # s
        progress(1000 * step, 10_000)
    assert said == ["3,000 of 10,000", "6,000 of 10,000", "9,000 of 10,000"]
