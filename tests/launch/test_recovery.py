"""kill -9 of real processes: the run ends well, with the model of an undisturbed one to the bit, and leaves nothing."""

from __future__ import annotations

import random
import re
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.launch.children import children, role
from yarnml import checkpoints
from yarnml.app import load_app
from yarnml.comm.effects import Report, Say, Setback
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.kernels import COMPILING
from yarnml.launch import Handle, LocalLauncher, Outcome
from yarnml.prepare import prepare
from yarnml.runs import RunDir

WAIT = 100.0  # seconds: processes start more than once, on a busy machine
APP = str(Path(__file__).parent.parent / "steady")
W1, S0, SCHEDULER = Seat("worker", 1), Seat("server", 0), Seat("scheduler", 0)
MakeJob = Callable[..., Job]


class Running:
    """A run, and what was heard of it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.news: list[Say | Setback] = []
        self.compiling = 0  # times that it was said
        self.clocks: dict[int, float] = {}
        self.moved = threading.Condition()
        self.handle: Handle = LocalLauncher().start(job, self._take, self._hear)

    def _take(self, report: Report) -> None:
        with self.moved:
            self.clocks[report.worker] = report.numbers.get("clock", 0)
            self.moved.notify()

    def _hear(self, news: Say | Setback) -> None:
        if news == Say(COMPILING):  # the first time on this machine
            self.compiling += 1
        else:
            self.news.append(news)

    def at(self, clock: int) -> None:
        """Wait until the slowest worker has come there."""
        with self.moved:
            assert self.moved.wait_for(lambda: self.handle.done or self._slowest >= clock, WAIT)

    @property
    def _slowest(self) -> float:
        return min(self.clocks.values()) if len(self.clocks) == self.job.workers else -1

    def process(self, seat: Seat) -> psutil.Process:
        [found] = children(*(["yarnml.launch.scheduling"] if seat == SCHEDULER else role(seat.role, seat.index)))
        return found

    def end(self) -> Outcome:
        outcome = self.handle.wait(WAIT)
        assert outcome is not None
        assert children() == []
        return outcome


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> MakeJob:
    """Makes jobs of two workers and a server, with checkpoints all the time."""
    folder = tmp_path_factory.mktemp("recovery")
    (folder / "train.csv").write_text("x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(31)))

    def make(**options: Any) -> Job:
        usual = {"data": f"{folder}/train.csv", "workers": 2, "runs": str(folder)}
        RunDir.create(job := prepare(load_app(APP), {**usual, "checkpoint_every": 0.2, **options}))
        return job

    return make


@pytest.fixture(scope="module")
def undisturbed(make: MakeJob) -> Callable[[bool], np.ndarray[Any, Any]]:
    """The model, by whether workers keep state."""
    known: dict[bool, np.ndarray[Any, Any]] = {}

    def model(keeps: bool) -> np.ndarray[Any, Any]:
        if keeps not in known:
            running = Running(make(keeps=keeps, pause=0.0))
            assert running.end().ok
            known[keeps] = learned(running.job)
        return known[keeps]

    return model


def learned(job: Job) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = np.load(f"{job.url}/model/W.npy")
    return found


def survives(running: Running, *kills: tuple[Seat, int]) -> Outcome:
    """Kill each of these once the run has come to a clock."""
    for seat, clock in kills:
        running.at(clock)
        if not running.handle.done:
            running.process(seat).kill()
            running.clocks.clear()
    outcome = running.end()
    assert outcome.ok, outcome.message
    return outcome


def test_a_worker_without_state_is_replaced(make: MakeJob, undisturbed: Callable[..., Any]) -> None:
    running = Running(make())
    outcome = survives(running, (W1, 30))
    assert outcome.result is not None
    assert outcome.result["restarts"] == 1
    assert [type(news) for news in running.news] == [Say]
    assert np.array_equal(learned(running.job), undisturbed(False))


def test_the_loss_of_a_server_takes_a_run_with_state_back_to_a_checkpoint(
    make: MakeJob, undisturbed: Callable[..., Any]
) -> None:
    running = Running(make(keeps=True))
    survives(running, (S0, 60))
    [back] = [news for news in running.news if isinstance(news, Setback)]
    assert back.generation == 1
    assert back.clock > 0
    assert np.array_equal(learned(running.job), undisturbed(True))


def test_a_scheduler_is_started_anew(make: MakeJob, undisturbed: Callable[..., Any]) -> None:
    running = Running(make())
    survives(running, (SCHEDULER, 60))
    [back] = [news for news in running.news if isinstance(news, Setback)]
    assert back.reason.startswith("the scheduler (pid ")
    assert back.clock > 0
    assert np.array_equal(learned(running.job), undisturbed(False))


def test_a_broken_checkpoint_takes_a_run_back_to_the_one_before(make: MakeJob, undisturbed: Callable[..., Any]) -> None:
    running = Running(make(keeps=True))
    running.at(60)
    found = checkpoints.latest(running.job.url)
    assert found is not None
    end = time.monotonic() + WAIT
    while (newest := checkpoints.latest(running.job.url)) == found or newest is None:
        assert time.monotonic() < end
        running.at(0)
    for file in Path(newest[0]).glob("*.npz"):
        file.write_bytes(file.read_bytes()[:99])
    survives(running, (S0, 0))
    assert np.array_equal(learned(running.job), undisturbed(True))


def test_work_with_a_loop_of_its_own_begins_anew_and_does_no_clock_too_many(make: MakeJob) -> None:
    running = Running(make(own_loop=True, retries=1))
    outcome = survives(running, (W1, 60))
    assert outcome.result is not None
    assert outcome.result["clocks"] == 150
    [back] = [news for news in running.news if isinstance(news, Setback)]
    assert back.clock == 0
    assert next(news.text for news in running.news if isinstance(news, Say)).startswith("no checkpoints: work doesn't")


def test_a_scheduler_that_is_stopped_was_silent_and_nobody_killed_it(make: MakeJob) -> None:
    running = Running(make(silence=1.0))
    running.at(30)
    running.process(SCHEDULER).send_signal(signal.SIGSTOP)
    assert running.end().ok
    [back] = [news for news in running.news if isinstance(news, Setback)]
    assert re.fullmatch(r"the scheduler \(pid \d+\) was silent for 1 s: stopped, by SIGSTOP or so", back.reason)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(20))
def test_whoever_is_killed_whenever(make: MakeJob, undisturbed: Callable[..., Any], seed: int) -> None:
    rng = random.Random(seed)
    keeps = rng.random() < 0.5
    victims = [SCHEDULER, *(Seat(role, index) for role in ("worker", "server") for index in (0, 1))]
    running = Running(make(keeps=keeps, servers=2))
    survives(running, *((rng.choice(victims), rng.randrange(140)) for _ in range(rng.choice((1, 1, 2)))))
    assert np.array_equal(learned(running.job), undisturbed(keeps))


@pytest.mark.full
def test_one_that_is_silent_is_killed_and_replaced(make: MakeJob, undisturbed: Callable[..., Any]) -> None:
    running = Running(make(silence=2.0))
    running.at(30)
    stopped = running.process(W1)
    stopped.send_signal(signal.SIGSTOP)
    assert running.end().ok
    assert not stopped.is_running()
    assert np.array_equal(learned(running.job), undisturbed(False))


def test_one_that_dies_at_the_same_clock_each_time_ends_the_run(make: MakeJob) -> None:
    outcome = Running(make(dies=10, retries=1)).end()
    assert (outcome.state, outcome.culprit) == ("failed", W1)
    assert "ended with exit code 3; 1 restarts brought the run no further" in outcome.message


def killed(make: MakeJob) -> Job:
    """A run that was killed after its first checkpoint."""
    running = Running(make(keeps=True))
    end = time.monotonic() + WAIT
    while checkpoints.latest(running.job.url) is None:
        running.at(0)
        assert not running.handle.done
        assert time.monotonic() < end
    running.handle.kill()
    outcome = running.end()
    RunDir(running.job.url).end(outcome.state)
    return running.job


def test_a_killed_run_is_resumed_on_more_servers(make: MakeJob, undisturbed: Callable[..., Any]) -> None:
    again = make(resume=killed(make).url, servers=2, pause=0.0)
    assert again.resume_clock > 0
    assert Running(again).end().ok
    assert np.array_equal(learned(again), undisturbed(True))


@pytest.mark.full
def test_a_killed_run_is_resumed_on_more_workers(make: MakeJob) -> None:
    assert Running(make(resume=killed(make).url, workers=3, pause=0.0)).end().ok


@pytest.mark.full
def test_that_processes_compile_kernels_is_said_once(
    make: MakeJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    running = Running(make(pause=0.0, clocks=20))
    assert running.end().ok
    assert running.compiling == 1
