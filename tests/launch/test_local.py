"""Runs of real processes, and all the ways in which they end."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.launch.children import children, role
from yarnml.comm.effects import Report
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.launch import Handle, LocalLauncher, Outcome

WAIT = 60.0  # seconds: imports of several processes on a busy machine
SILENCE = 4.0
MakeJob = Callable[..., Job]

# Reports once all are at work, then goes on for ever: each clock takes a while, and each worker waits for the other.
ENDLESS = """
me.sum(1)
me.report(pid=os.getpid())
while True:
    time.sleep(0.01)
    me.sum(1)
    me.clock()
"""


class Running:
    """A run that has begun."""

    def __init__(self, job: Job) -> None:
        self.reports: dict[int, Report] = {}
        self.begun = threading.Event()
        self.workers = job.workers
        self.handle: Handle = LocalLauncher().start(job, self._take)

    def _take(self, report: Report) -> None:
        self.reports[report.worker] = report
        if len(self.reports) == self.workers:
            self.begun.set()

    def process(self, seat: Seat) -> psutil.Process:
        assert self.begun.wait(WAIT)
        [found] = children(*role(seat.role, seat.index))
        return found

    def end(self) -> Outcome:
        outcome = self.handle.wait(WAIT)
        assert outcome is not None
        assert children() == []
        return outcome


def test_workers_and_servers_do_a_run_together(job_of: MakeJob) -> None:
    body = "print('hello from', me.index)\nme.clock()\nreturn {'total': float(me.sum(me.index + 1))}"
    job = job_of(body, workers=2, servers=2)
    outcome = Running(job).end()
    assert outcome.ok, outcome.message
    assert outcome.result is not None
    assert outcome.result["total"] == 3.0
    assert (Path(job.url) / "logs" / "worker-1.log").read_text() == "hello from 1\n"


@pytest.mark.parametrize("seat", [Seat("worker", 1), Seat("server", 0)], ids=str)
def test_a_killed_process_ends_the_run_by_name(job_of: MakeJob, seat: Seat) -> None:
    running = Running(job_of(ENDLESS, workers=2))
    victim = running.process(seat)
    victim.send_signal(signal.SIGKILL)
    outcome = running.end()
    assert (outcome.state, outcome.culprit) == ("failed", seat)
    assert outcome.message.startswith(f"{seat} (pid {victim.pid}) was killed by SIGKILL")


@pytest.mark.parametrize("seat", [Seat("worker", 1), Seat("server", 0)], ids=str)
def test_a_stopped_process_ends_the_run_by_name(job_of: MakeJob, seat: Seat) -> None:
    running = Running(job_of(ENDLESS, workers=2, silence=SILENCE))
    victim = running.process(seat)
    victim.send_signal(signal.SIGSTOP)
    outcome = running.end()
    assert (outcome.state, outcome.culprit) == ("failed", seat)
    assert f"pid {victim.pid}) was silent for {SILENCE:g} s" in outcome.message


def test_a_process_that_computes_without_a_pause_is_not_silent(job_of: MakeJob) -> None:
    """One long call that holds the GIL: no Python thread of the worker can say that it lives."""
    body = "if me.index == 1:\n    max(range(80_000_000))\nme.sum(1)"
    outcome = Running(job_of(body, workers=2, silence=2.0)).end()
    assert outcome.ok, outcome.message


@pytest.mark.parametrize(
    ("fault", "said", "quoted"),
    [
        ("raise ValueError('no')", "worker 1: ValueError: no", "raise ValueError('no')"),
        ("sys.exit(0)", "worker 1: SystemExit: 0", "sys.exit(0)"),
        ("os._exit(0)", "worker 1 (pid ", "so far"),
    ],
)
def test_an_app_that_gives_up_is_quoted(job_of: MakeJob, fault: str, said: str, quoted: str) -> None:
    job = job_of(f"me.sum(1)\nif me.index == 1:\n    print('so far')\n    {fault}\nme.sum(1)", workers=2)
    outcome = Running(job).end()
    assert (outcome.state, outcome.culprit) == ("failed", Seat("worker", 1))
    assert outcome.message.startswith(said)
    quote = [line.removeprefix("  | ").strip() for line in outcome.message.splitlines()]
    assert quoted in quote
    assert str(Path(job.url) / "logs" / "worker-1.log") in outcome.message


def test_an_app_that_cannot_be_loaded_is_quoted(job_of: MakeJob) -> None:
    outcome = Running(job_of("pass\nimport this is no python", workers=2)).end()
    assert outcome.state == "failed"
    assert "SyntaxError" in outcome.message


def test_a_kill_ends_all(job_of: MakeJob) -> None:
    running = Running(job_of(ENDLESS, workers=2))
    assert running.begun.wait(WAIT)
    running.handle.kill("killed by somebody")
    outcome = running.end()
    assert (outcome.state, outcome.message.startswith("killed by somebody")) == ("killed", True)


DRIVER = """
import sys
from yarnml.job import Job
from yarnml.launch import LocalLauncher
job = Job.from_json(open(sys.argv[1]).read())
print(LocalLauncher().start(job, lambda report: print("begun", flush=True)).wait().state)
"""


@pytest.fixture
def driver(job_of: MakeJob, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process whose run has begun."""
    (tmp_path / "job.json").write_text(job_of(ENDLESS, workers=2).to_json())
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "job.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "begun\n"
            yield process
        finally:
            process.kill()


def test_ctrl_c_ends_all(driver: subprocess.Popen[str]) -> None:
    started = psutil.Process(driver.pid).children(recursive=True)
    driver.send_signal(signal.SIGINT)
    said, _ = driver.communicate(timeout=WAIT)
    assert said.splitlines()[-1] == "interrupted"
    assert driver.returncode == 0
    assert psutil.wait_procs(started, WAIT)[1] == []


def test_a_driver_that_dies_leaves_no_process(driver: subprocess.Popen[str]) -> None:
    started = psutil.Process(driver.pid).children(recursive=True)
    assert len(started) == 4
    started[1].send_signal(signal.SIGSTOP)  # one that can't see anything
    driver.kill()
    assert psutil.wait_procs(started, WAIT)[1] == []


def test_a_full_disk_ends_the_run_by_its_name_and_is_no_death(job_of: MakeJob) -> None:
    """Nor is a log that can't be written."""
    body = "print('x' * 10000)\nif me.index == 1: raise OSError(28, 'No space left on device')\nme.sum(1)"
    job = job_of(body, workers=2, retries=3)
    logs = Path(job.url, "logs")
    logs.mkdir(parents=True)
    for worker in (0, 1):
        (logs / f"worker-{worker}.log").symlink_to("/dev/full")
    outcome = Running(job).end()
    assert (outcome.state, outcome.culprit) == ("failed", Seat("worker", 1))
    assert outcome.message.startswith("worker 1: ")
    assert "No space left on device" in outcome.message.partition("\n")[0]
    assert "restart" not in outcome.message
    assert (logs / "scheduler-0.log").read_text() == ""
