"""What the scheduler's container hears of lost containers, what it takes over, and what it writes down."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Effect, Report, Say
from yarnml.comm.events import Exited, Joined, Reported, Tick, Unreachable
from yarnml.comm.recovery import Recovery
from yarnml.comm.seat import ANY, Seat
from yarnml.job import Job
from yarnml.launch.yarn import notes, rendezvous
from yarnml.launch.yarn.fates import Fates
from yarnml.launch.yarn.inside import Inside
from yarnml.launch.yarn.legacy import Legacy
from yarnml.launch.yarn.losses import ASK, GONE, LOOK, Losses
from yarnml.launch.yarn.manager import Manager
from yarnml.launch.yarn.rendezvous import Rendezvous
from yarnml.launch.yarn.spec import Spec
from yarnml.launch.yarn.standing import Standing
from yarnml.launch.yarn.stay import AGAIN, stay
from yarnml.monitor.progress import Glance
from yarnml.runs import RunDir, wait_for
from yarnml.wire.zmq import new_keys

LIMITS = {"scheduler": 512, "server": 1024, "worker": 2048}
WORKER, STRANGER = "container_e1_17_0001_01_000003", "container_e1_17_0001_01_000009"
NOBODY = Manager(["http://127.0.0.1:1"])


@pytest.fixture
def inside(tmp_path: Path) -> Inside:
    spec = Spec(limits=LIMITS, start_timeout=60.0, queue="ml", managers=NOBODY.addresses)
    job = Job(run="run", runs=str(tmp_path), app="mlr", workers=2, servers=1, retries=1)
    RunDir.create(job)
    return Inside(job, spec, "scheduler", "b", "container_1", tmp_path / "log", new_keys())


@pytest.fixture
def run(inside: Inside) -> str:
    return inside.job.url


@pytest.fixture
def coordinator() -> Coordinator:
    """Of two workers, of which the second has joined, and a server."""
    found = Coordinator({"worker": 2, "server": 1}, silence=10.0, join_by=60.0, recovery=Recovery(retries=1))
    found.handle(Joined("worker-1.a", Seat("worker", 1), "", f"host a, pid 7, {WORKER}", "a"), 0.0)
    return found


@pytest.fixture
def losses(inside: Inside, coordinator: Coordinator) -> Losses:
    return Losses(inside, coordinator, Fates(NOBODY))


def test_a_note_about_a_container_is_told_once_and_names_its_host(run: str, losses: Losses) -> None:
    assert losses.look(0.0) == []
    notes.leave(run, notes.Note("worker", 1, WORKER, "was killed by SIGKILL"))
    assert losses.look(LOOK / 2) == []  # it looks once in a while
    told = Exited(Seat("worker", 1), f"(host a, pid 7, {WORKER}) was killed by SIGKILL", WORKER)
    assert losses.look(LOOK) == [told]
    assert losses.look(2 * LOOK) == []


def test_what_ends_before_it_joins_is_borne_as_often_as_deaths_are(run: str, losses: Losses) -> None:
    notes.leave(run, notes.Note("server", ANY, STRANGER, "ended with exit code 1"))
    assert losses.look(0.0) == []
    notes.leave(run, notes.Note("server", ANY, f"{STRANGER}0", "ended with exit code 1"))
    how = f"({STRANGER}0) ended with exit code 1, as did 1 before it: they hadn't joined yet"
    assert losses.look(LOOK) == [Exited(Seat("server", ANY), how, f"{STRANGER}0", "hopeless")]


def test_notes_for_a_scheduler_before_are_not_read(run: str, inside: Inside, coordinator: Coordinator) -> None:
    notes.leave(run, notes.Note("worker", 1, WORKER, "was killed by SIGKILL"))
    assert Losses(inside, coordinator, Fates(NOBODY), first=False).look(0.0) == []


def test_a_container_whose_seat_is_another_s_is_no_loss(run: str, losses: Losses, coordinator: Coordinator) -> None:
    losses.look(0.0)
    done: list[Effect] = []
    coordinator.handle(Unreachable("worker-1.a"), 0.0)
    done += coordinator.handle(Tick(), 11.0)
    assert any(isinstance(effect, Say) and "was silent for 10 s" in effect.text for effect in done)
    assert losses.container_at(Seat("worker", 1)) == WORKER  # to be ended
    assert losses.container_at(Seat("worker", 0)) is None
    notes.leave(run, notes.Note("worker", 1, WORKER, "was killed by SIGKILL"))
    assert losses.look(LOOK) == []


def test_a_container_that_used_too_much_is_lost_once_it_is_out_of_reach(
    run: str, losses: Losses, coordinator: Coordinator
) -> None:
    notes.leave(run, notes.Note("worker", 1, WORKER, "2210", over=True))
    assert losses.look(10.0) == []
    coordinator.handle(Unreachable("worker-1.a"), 10.5)
    assert losses.look(10.5 + GONE / 2) == []
    (event,) = losses.look(10.5 + GONE)
    assert isinstance(event, Exited)
    assert event.cause == "hopeless"
    assert event.how.endswith(
        "was ended by YARN: it used 2.158 GiB of memory and may use 2 GiB; give it more by --worker-memory"
    )
    assert losses.look(20.0) == []


@pytest.fixture
def node() -> Iterator[str]:
    """The address of a node that answers."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize(
    ("containers", "web", "how"),
    [
        ([], "", "was taken away by YARN: for another application, or by an administrator"),
        ([WORKER], "127.0.0.1:1", "was lost with its node"),
        ([WORKER], None, "was lost with its node"),
        ([WORKER], "", ""),
    ],
)
def test_what_the_cluster_has_taken_is_no_fault_of_the_run(
    inside: Inside, coordinator: Coordinator, node: str, containers: list[str], web: str | None, how: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    nodes = [] if web is None else [{
        "nodeHostName": "a", "nodeHTTPAddress": web or node,
        **dict.fromkeys(("usedMemoryMB", "availMemoryMB", "usedVirtualCores", "availableVirtualCores"), 0),
    }]  # fmt: skip
    answers: list[dict[str, Any]] = [
        {"container": [{"containerId": name} for name in containers]}, {"nodes": {"node": nodes}},
    ]  # fmt: skip
    asked: list[str] = []
    told: list[Any] = []

    def answer(_: Manager, what: str) -> dict[str, Any]:
        asked.append(what)
        return answers["nodes" in what]

    monkeypatch.setattr(Manager, "_get", answer)
    losses = Losses(inside, coordinator, Fates(NOBODY))
    coordinator.handle(Unreachable("worker-1.a"), 0.0)
    assert losses.look(ASK / 2) == []
    assert asked == []

    def looked() -> bool:
        told.extend(losses.look(ASK))
        return bool(told) if how else len(asked) >= 4  # again and again

    assert wait_for(looked, 10)
    name = f"(host a, pid 7, {WORKER})"
    assert told == ([Exited(Seat("worker", 1), f"{name} {how}", WORKER, "taken")] if how else [])
    assert not how or losses.look(2 * ASK) == []


def test_the_standing_names_who_is_there_and_who_is_waited_for(coordinator: Coordinator, inside: Inside) -> None:
    standing = Standing(inside, coordinator, NOBODY, before=2)
    for report in coordinator.handle(Reported("worker-1.a", {"clock": 3.0, "memory": 700.0}), 1.0):
        assert isinstance(report, Report)
        standing.take(report)
    fields = standing.fields()
    assert fields["waiting"] == "2 of 4 containers; waiting: server 0, worker 0"
    assert fields["restarts"] == 2
    scheduler, worker = fields["containers"]
    assert (scheduler["seat"], scheduler["name"], scheduler["limit"]) == ("scheduler", "host b, container_1", 512)
    assert worker == {
        "seat": "worker 1", "name": f"host a, pid 7, {WORKER}", "clock": 3.0, "mb": 700.0, "limit": 2048,
    }  # fmt: skip


def test_a_scheduler_goes_on_after_the_one_before_it(run: str) -> None:
    directory = RunDir(run)
    first = Legacy.of(directory, "01")
    assert (first.generation, first.restarts, first.why) == (0, 0, "")
    rendezvous.publish(run, Rendezvous("01", "tcp://a:1", 3, 7.0))
    directory.beat(Glance(time=time.time(), restarts=4))
    why = "the scheduler's container ended"
    assert Legacy.of(directory, "01") == Legacy(generation=4, since=7.0, restarts=5, why=why)
    assert Legacy.of(directory, "02").why == "the application's master ended, and with it all containers"


def test_a_container_ends_well_only_once_the_end_of_its_run_is_written_down(run: str) -> None:
    directory = RunDir(run)
    assert stay(directory, seconds=0) == AGAIN
    rendezvous.publish(run, Rendezvous("01", "tcp://a:1", 3, 7.0))
    assert stay(directory, generation=3, seconds=0) == AGAIN
    assert stay(directory, generation=2) == AGAIN  # the run has gone back since
    directory.end("succeeded")
    assert stay(directory, generation=2) == 0
