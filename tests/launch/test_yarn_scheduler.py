"""What the scheduler's container hears of lost containers, and what it writes down of those that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnml.comm.coordinator import Coordinator
from yarnml.comm.events import Exited, Joined, Reported, Unreachable
from yarnml.comm.seat import Seat
from yarnml.job import Job
from yarnml.launch.yarn import notes
from yarnml.launch.yarn.inside import Inside
from yarnml.launch.yarn.losses import GONE, LOOK, Losses
from yarnml.launch.yarn.spec import Spec
from yarnml.launch.yarn.standing import Standing
from yarnml.wire.zmq import new_keys

LIMITS = {"scheduler": 512, "server": 1024, "worker": 2048}
WORKER = "container_e1_17_01_01_000003"


@pytest.fixture
def coordinator() -> Coordinator:
    """Of two workers, of which the second has joined, and a server."""
    found = Coordinator({"worker": 2, "server": 1}, silence=10.0, join_by=60.0)
    found.handle(Joined("worker-1.a", Seat("worker", 1), "", f"host a, pid 7, {WORKER}", "a"), 0.0)
    return found


def test_a_note_about_a_container_is_told_once_and_names_its_host(tmp_path: Path, coordinator: Coordinator) -> None:
    losses = Losses(str(tmp_path), coordinator, LIMITS)
    assert losses.look(0.0) == []
    notes.leave(str(tmp_path), notes.Note("worker", 1, WORKER, "was killed by SIGKILL"))
    notes.leave(str(tmp_path), notes.Note("server", -1, "container_e1_17_01_01_000009", "ended with exit code 1"))
    assert losses.look(LOOK / 2) == []  # it looks once in a while
    assert sorted((event for event in losses.look(LOOK) if isinstance(event, Exited)), key=str) == [
        Exited(Seat("server", -1), "(container_e1_17_01_01_000009) ended with exit code 1"),
        Exited(Seat("worker", 1), f"(host a, pid 7, {WORKER}) was killed by SIGKILL"),
    ]
    assert losses.look(2 * LOOK) == []


def test_a_container_that_used_too_much_is_lost_once_it_is_out_of_reach(
    tmp_path: Path, coordinator: Coordinator
) -> None:
    losses = Losses(str(tmp_path), coordinator, LIMITS)
    notes.leave(str(tmp_path), notes.Note("worker", 1, WORKER, "2210", over=True))
    assert losses.look(10.0) == []
    coordinator.handle(Unreachable("worker-1.a"), 10.5)
    assert losses.look(10.5 + GONE / 2) == []
    (event,) = losses.look(10.5 + GONE)
    assert isinstance(event, Exited)
    assert event.how.endswith(
        "was ended by YARN: it used 2.158 GiB of memory and may use 2 GiB; give it more by --worker-memory"
    )
    assert losses.look(20.0) == []


def test_the_standing_names_who_is_there_and_who_is_waited_for(coordinator: Coordinator, tmp_path: Path) -> None:
    spec = Spec(limits=LIMITS, start_timeout=60.0, queue="ml", managers=["http://127.0.0.1:1"])
    job = Job(run="run", runs=str(tmp_path), app="mlr", workers=2, servers=1)
    standing = Standing(Inside(job, spec, "scheduler", "b", "container_1", tmp_path / "log", new_keys()), coordinator)
    for report in coordinator.handle(Reported("worker-1.a", {"clock": 3.0, "memory": 700.0}), 1.0):
        standing.take(report)  # type: ignore[arg-type]
    fields = standing.fields()
    assert fields["waiting"] == "2 of 4 containers; waiting: server 0, worker 0"
    scheduler, worker = fields["containers"]
    assert (scheduler["seat"], scheduler["name"], scheduler["limit"]) == ("scheduler", "host b, container_1", 512)
    assert worker == {
        "seat": "worker 1", "name": f"host a, pid 7, {WORKER}", "clock": 3.0, "mb": 700.0, "limit": 2048,
    }  # fmt: skip
