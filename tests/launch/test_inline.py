"""A run in this process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from yarnml import checkpoints
from yarnml.comm.effects import Report
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.launch import InlineLauncher, LocalLauncher, launcher

MakeJob = Callable[..., Job]


def run(job: Job) -> tuple[Outcome, list[Report]]:
    reports: list[Report] = []
    return InlineLauncher().start(job, reports.append).wait(), reports


def test_a_job_that_needs_no_process_gets_none(job_of: MakeJob) -> None:
    job = job_of("pass")
    assert isinstance(launcher(job), InlineLauncher)
    assert isinstance(launcher(Job(run="", runs="", app="", workers=2)), LocalLauncher)
    assert isinstance(launcher(Job(run="", runs="", app="", servers=2)), LocalLauncher)


def test_what_an_app_returns_and_reports(job_of: MakeJob) -> None:
    outcome, reports = run(job_of("me.report(loss=0.5)\nreturn {'answer': 42}"))
    assert outcome.result is not None
    assert outcome.result["answer"] == 42
    assert [(report.worker, report.numbers["loss"]) for report in reports] == [(0, 0.5)]


def test_an_error_is_named_and_its_place_is_logged(job_of: MakeJob) -> None:
    job = job_of("raise KeyError('x')")
    outcome, _ = run(job)
    assert (outcome.state, outcome.culprit) == ("failed", Seat("worker", 0))
    assert outcome.message.startswith("worker 0: KeyError: 'x'\n")
    assert "app.py" in outcome.message
    with open(f"{job.url}/logs/worker-0.log") as log:
        assert "Traceback" in log.read()


def test_an_app_that_exits_has_failed(job_of: MakeJob) -> None:
    outcome, _ = run(job_of("sys.exit(0)"))
    assert outcome.message.startswith("worker 0: SystemExit: 0")


def test_a_kill_is_heeded_at_the_next_clock(job_of: MakeJob) -> None:
    job = job_of("while True:\n    me.report(loss=1.0)\n    me.clock()")
    begun = threading.Event()
    handle = InlineLauncher().start(job, lambda _: begun.set())
    assert begun.wait(10.0)
    handle.kill("enough")
    assert handle.wait() == Outcome("killed", "enough")


def test_the_deadline_is_heeded_at_the_next_clock(job_of: MakeJob) -> None:
    outcome, _ = run(job_of("while True: me.clock()", deadline=0.2))
    assert outcome == Outcome("deadline", "the run's deadline of 0.2 s has passed")


CLOCKS = """
W = me.table("W")
while me.clock_now < 200:
    W.inc(None, (0.1 * np.sin(W.get() + me.clock_now)).astype(np.float32))
    if me.clock_now == {until}:
        raise ValueError("that far")
    me.clock()
    time.sleep(0.001)
return {{"w": W.get().tolist()}}
"""


def test_a_run_that_failed_goes_on_from_its_own_checkpoint(job_of: MakeJob) -> None:
    job = job_of(CLOCKS.format(until=150), rows="5", checkpoint_every=0.02)
    outcome, _ = run(job)
    assert "that far" in outcome.message
    found = checkpoints.latest(job.url)
    assert found is not None
    app = Path(job.app) / "app.py"
    app.write_text(app.read_text().replace("== 150", "== -1"))
    whole, _ = run(replace(job, run="whole"))
    again, _ = run(replace(job, run="again", resume=found[0], resume_clock=found[1].clock))
    assert 0 < found[1].clock <= 150
    assert whole.result is not None
    assert again.result is not None
    assert again.result["w"] == whole.result["w"]


def test_a_run_that_is_ended_keeps_all_that_it_has_done(job_of: MakeJob) -> None:
    """The clock that was running is its last, and what goes on from there comes to the same end."""
    job = job_of(CLOCKS.format(until=-1), rows="5")
    app = Path(job.app) / "app.py"
    text = app.read_text()
    app.write_text(text.replace("time.sleep(0.001)", "me.report(n=me.clock_now)\n        time.sleep(0.001)"))
    seen: list[float] = []
    begun = threading.Event()

    def take(report: Report) -> None:
        seen.append(report.numbers["n"])
        begun.set()

    handle = InlineLauncher().start(job, take)
    assert begun.wait(10.0)
    handle.kill("enough")
    assert handle.wait() == Outcome("killed", "enough")
    [(url, found)] = [kept for kept in [checkpoints.latest(job.url)] if kept]
    assert 0 < found.clock <= seen[-1] + 1 < 200
    whole, _ = run(replace(job, run="whole"))
    again, _ = run(replace(job, run="again", resume=url, resume_clock=found.clock))
    assert whole.result is not None
    assert again.result is not None
    assert again.result["w"] == whole.result["w"]


def test_a_last_checkpoint_that_cannot_be_written_holds_nobody_up(job_of: MakeJob) -> None:
    news: list[Any] = []
    job = job_of(CLOCKS.format(until=-1).replace("200", "10**9"), rows="5", deadline=0.2)
    Path(job.url).mkdir()
    (Path(job.url) / "checkpoints").write_text("in the way")
    outcome = InlineLauncher().start(job, lambda _: None, news.append).wait()
    assert outcome == Outcome("deadline", "the run's deadline of 0.2 s has passed")
    [said] = [each.text for each in news]
    assert said.startswith("no checkpoint this time: ")


OWN_LOOP = """
W = me.table("W")
for _ in range(40):
    W.inc(None, np.ones(W.shape, np.float32))
    me.clock()
    time.sleep(0.001)
return {"w": W.get()[0, 0].item()}
"""


def test_work_that_never_looks_at_its_clock_leaves_no_checkpoint(job_of: MakeJob) -> None:
    news: list[Any] = []
    job = job_of(OWN_LOOP, rows="5", checkpoint_every=0.005)
    outcome = InlineLauncher().start(job, lambda _: None, news.append).wait()
    assert outcome.result is not None
    assert outcome.result["w"] == 40
    [said] = [each.text for each in news]
    assert said.startswith("no checkpoints: work doesn't look at me.clock_now")
    assert checkpoints.latest(job.url) is None


def test_work_that_never_looks_at_its_clock_is_not_begun_in_its_middle(job_of: MakeJob) -> None:
    job = job_of(CLOCKS.format(until=150), rows="5", checkpoint_every=0.02)
    run(job)
    found = checkpoints.latest(job.url)
    assert found is not None
    app = Path(job.app) / "app.py"
    text = app.read_text().replace("while me.clock_now < 200:", "for clock in range(200):")
    app.write_text(text.replace("me.clock_now", "clock"))
    outcome, _ = run(replace(job, run="again", resume=found[0], resume_clock=found[1].clock))
    assert f"it was to go on at clock {found[1].clock}" in outcome.message
