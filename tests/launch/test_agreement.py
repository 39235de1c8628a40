"""Workers that do unequal things, in real processes: what can go well does, the rest fails by name and soon."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest

from tests.launch.children import children, role
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.launch import Handle, InlineLauncher, LocalLauncher

MakeJob = Callable[..., Job]
WAIT = 60.0
SILENCE = 2.0


def run(job: Job) -> Outcome:
    outcome = LocalLauncher().start(job, lambda _: None).wait(WAIT)
    assert outcome is not None
    return outcome


UNEQUAL = """
W = me.table("W")
for _ in range(3 if me.index else 33):
    W.get()
    W.inc(None, np.ones((8, 2), np.float32))
    me.clock()
W.inc(me.index, np.ones(2, np.float32))
if me.index == 1:
    return {}
me.settle()
return {"sum": W.get().sum()}
"""


@pytest.mark.parametrize("staleness", [0, 10**9])
def test_a_worker_whose_work_has_returned_is_waited_for_no_more(job_of: MakeJob, staleness: int) -> None:
    """Worker 0 goes on for 30 clocks; then it reads all that both have added, however stale reads may be."""
    body = UNEQUAL.replace("me.settle()", "me._client.end()")
    outcome = run(job_of(body, rows="8", workers=2, servers=2, staleness=staleness))
    assert outcome.ok, outcome.message
    assert outcome.result is not None
    assert outcome.result["sum"] == 36 * 16 + 4


def test_a_gather_and_a_read_that_wait_for_each_other(job_of: MakeJob) -> None:
    body = """
W = me.table("W")
me.clock()
if me.index == 0:
    me.sum(1)
me.clock()
W.get()
me.sum(1)
"""
    outcome = run(job_of(body, rows="8", workers=2, silence=SILENCE))
    assert outcome.state == "failed"
    assert "worker 0 waits for the others in a sum or gather, and so for worker 1" in outcome.message
    assert "worker 1 waits for server 0 to send rows [0, 8) of table 'W' as of clock 1" in outcome.message
    assert "All workers must call sum and gather equally often" in outcome.message


def test_a_sum_that_meets_the_end_of_anothers_work_is_refused(job_of: MakeJob) -> None:
    outcome = run(job_of("if me.index == 1:\n    me.sum(1)", workers=2))
    assert outcome.state == "failed"
    assert "the work of worker 0 has returned, but worker 1 still calls sum or gather" in outcome.message


def test_tables_that_differ_by_process_are_said(job_of: MakeJob) -> None:
    outcome = run(job_of("me.table('W').get()", rows="os.getpid()", workers=2))
    assert outcome.state == "failed"
    assert outcome.culprit is not None
    assert outcome.message.startswith(f"{outcome.culprit} (host ")
    assert "understands the job otherwise" in outcome.message
    assert "table TableSpec(name='W', shape=(" in outcome.message


def test_who_is_stopped_before_it_joins_is_named(job_of: MakeJob) -> None:
    job = job_of("pass\ntime.sleep(0)", workers=2, silence=SILENCE)
    with open(f"{job.app}/app.py", "a") as app:
        app.write("\ntime.sleep(60)\n")
    handle: Handle = LocalLauncher().start(job, lambda _: None)
    end = time.monotonic() + WAIT
    while not (found := children(*role("worker", 1))):
        assert time.monotonic() < end
    found[0].send_signal(signal.SIGSTOP)
    outcome = handle.wait(WAIT)
    assert outcome is not None
    assert outcome.culprit == Seat("worker", 1)
    assert outcome.message.startswith(f"worker 1 (pid {found[0].pid}) was stopped, by SIGSTOP")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("me.report(loss='abc')", "worker 0: report(loss='abc') is a str; only numbers are reported"),
        ("return {'seen': {1}}", "worker 0: result['seen'] = {1} is a set; what work returns must be numbers"),
    ],
)
@pytest.mark.parametrize("servers", [1, 2])
def test_what_is_not_plain_is_said_the_same_everywhere(job_of: MakeJob, body: str, said: str, servers: int) -> None:
    """Inline, and with a process for each."""
    launcher = InlineLauncher() if servers == 1 else LocalLauncher()
    outcome = launcher.start(job_of(body, servers=servers), lambda _: None).wait(WAIT)
    assert outcome is not None
    assert outcome.message.startswith(said)


def test_numpys_numbers_are_reported_and_returned(job_of: MakeJob) -> None:
    outcome = run(job_of("me.report(loss=np.float32(0.5))\nreturn {'n': np.int64(3)}", workers=2))
    assert outcome.ok, outcome.message
    assert outcome.result is not None
    assert outcome.result["n"] == 3
