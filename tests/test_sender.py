"""Sending a job that surveys data: near it, by an app of ours, and not left behind when the command is ended."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest

from hdfs_io import ReadOptions
from hdfs_io.dataset import Piece
from hdfs_io.errand import Errand, Portion
from hdfs_io.survey import Ask
from yarnml.comm.events import Stop
from yarnml.comm.outcome import Outcome
from yarnml.job import Job
from yarnml.launch import env
from yarnml.launch.yarn import launcher
from yarnml.launch.yarn.application import Submitted
from yarnml.monitor.terminal import Unseen
from yarnml.request import OnYarn
from yarnml.runs import RunDir
from yarnml.sender import Sender

PLAN = env.Plan("python", ("code",), "app/private", (), ())
ERRAND = Errand(ReadOptions(format="csv"), (Portion(Piece("memory://x.csv", 0, 9), 9),), Ask(), 1)


class Ended(BaseException):
    """As SIGTERM ends the command."""


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is submitted, to no cluster."""
    found: list[dict[str, Any]] = []

    def submit(*said: Any) -> Submitted:
        names = ("site", "applications", "job", "wish", "plan", "homes", "say")
        found.append(dict(zip(names, said, strict=True)))
        return Submitted("application_1")

    monkeypatch.setattr(launcher, "submit", submit)
    return found


def follow(monkeypatch: pytest.MonkeyPatch, outcome: Callable[[Callable[[], Stop | None]], Outcome]) -> None:
    class Following:
        def __init__(self, *_: Any) -> None:
            self.outcome = outcome

    monkeypatch.setattr(launcher, "Following", Following)


@pytest.fixture
def sender() -> Sender:
    nothing = cast(Any, None)
    return Sender(nothing, OnYarn(), nothing, lambda: PLAN, Unseen())


@pytest.fixture
def job(tmp_path: Path) -> Job:
    job = Job(run="survey", runs=str(tmp_path), app="_survey", workers=1, servers=0)
    RunDir.create(job)
    return job


def test_the_private_app_of_the_run_is_none_of_the_survey(
    sent: list[dict[str, Any]], sender: Sender, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(monkeypatch, lambda _: Outcome("succeeded"))
    assert sender.survey(job, ERRAND).ok
    assert sent[0]["plan"].app is None
    assert sender.plan().app == "app/private"
    assert RunDir(job.url).record().application == "application_1"


def test_sigterm_ends_what_was_sent(
    sent: list[dict[str, Any]], sender: Sender, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes: list[Stop] = []
    once = iter([signal.SIGTERM])

    def outcome(wish: Callable[[], Stop | None]) -> Outcome:
        for number in once:
            os.kill(os.getpid(), number)
        pause = threading.Event()
        while (said := wish()) is None and not wishes:
            pause.wait(0.01)
        wishes.append(said or Stop("killed", ""))
        return Outcome("killed")

    def end(_number: int, _frame: FrameType | None) -> None:
        raise Ended

    follow(monkeypatch, outcome)
    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(Ended):
            sender.survey(job, ERRAND)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "killed" in [wish.state for wish in wishes]


def test_what_cannot_be_sent_is_written_down(sender: Sender, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def submit(*_: Any) -> Submitted:
        raise OSError("no way")

    monkeypatch.setattr(launcher, "submit", submit)
    monkeypatch.setattr(launcher, "clean", lambda *_: None)
    with pytest.raises(OSError, match="no way"):
        sender.survey(job, ERRAND)
    assert RunDir(job.url).record().message == "could not be submitted: no way"
