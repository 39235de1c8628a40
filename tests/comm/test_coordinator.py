"""The coordinator against its rules: chosen histories, then random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yarnml.comm.company import FOREVER
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Effect, End, Report, Say, Send
from yarnml.comm.events import (
    Claiming,
    Event,
    Exited,
    Failed,
    Finished,
    HandedIn,
    Joined,
    Reachable,
    Reported,
    Stop,
    Tick,
    Unreachable,
    Waiting,
)
from yarnml.comm.outcome import Outcome
from yarnml.comm.roll import COMPILES
from yarnml.comm.seat import ANY, Seat, seats
from yarnml.kernels import COMPILING
from yarnml.wire.message import Abort, Ack, Gathered, Message, Roster

ROLES = {"worker": 2, "server": 1}
W0, W1, S0 = seats(ROLES)


def joined(seat: Seat, peer: str | None = None, plan: str = "") -> Joined:
    address = f"tcp://{seat.slug}" if seat.role == "server" else ""
    return Joined(peer or seat.slug, seat, address, f"host h, pid {10 + seat.index}", plan=plan)


def told(effects: list[Effect], kind: type[Message]) -> dict[str, Any]:
    return {e.peer: e.message for e in effects if isinstance(e, Send) and isinstance(e.message, kind)}


def ended(effects: list[Effect]) -> Outcome:
    [end] = [e for e in effects if isinstance(e, End)]
    return end.outcome


@pytest.fixture
def fresh() -> Coordinator:
    return Coordinator(ROLES, silence=10.0, join_by=60.0)


@pytest.fixture
def running(fresh: Coordinator) -> Coordinator:
    for seat in seats(ROLES):
        fresh.handle(joined(seat), 0.0)
    return fresh


def test_the_roster_goes_to_all_once_all_have_joined(fresh: Coordinator) -> None:
    assert fresh.handle(joined(S0), 0.0) == []
    assert fresh.handle(joined(W1), 1.0) == []
    rosters = told(fresh.handle(joined(W0), 2.0), Roster)
    assert {peer: roster.servers for peer, roster in rosters.items()} == dict.fromkeys(
        ("worker-0", "worker-1", "server-0"), ("tcp://server-0",)
    )


def test_that_kernels_are_compiled_is_said_once_and_is_no_progress(running: Coordinator) -> None:
    [said] = running.handle(Reported("worker-0", {COMPILES: 1}), 1.0)
    assert said == Say(COMPILING)
    assert running.handle(Reported("server-0", {COMPILES: 1}), 1.0) == []


def test_who_asks_again_is_told_again(running: Coordinator) -> None:
    assert list(told(running.handle(joined(W1), 1.0), Roster)) == ["worker-1"]


def test_a_taken_seat_is_refused(running: Coordinator) -> None:
    effects = running.handle(joined(W1, "another"), 1.0)
    assert told(effects, Abort)["another"].reason == "worker 1 has joined already, from host h, pid 11"
    assert running.outcome is None


def test_an_unknown_seat_is_refused(fresh: Coordinator) -> None:
    effects = fresh.handle(joined(Seat("worker", 2)), 1.0)
    assert told(effects, Abort)["worker-2"].reason == "this run has no worker 2"


def test_who_never_joined_is_named(fresh: Coordinator) -> None:
    fresh.handle(joined(W0), 0.0)
    assert fresh.handle(Tick(), 59.0) == []
    outcome = ended(fresh.handle(Tick(), 60.0))
    assert outcome.message == "the run could not start: server 0, worker 1 did not join in time"


def test_plans_that_differ_end_the_run_by_name(fresh: Coordinator) -> None:
    fresh.handle(joined(W0, plan="config lr = 1\ntable W (3, 2)"), 0.0)
    fresh.handle(joined(W1, plan="config lr = 1\ntable W (3, 7)"), 0.0)
    outcome = ended(fresh.handle(joined(S0, plan="config lr = 1\ntable W (3, 2)"), 0.0))
    assert outcome.culprit == W1
    differ = "worker 1 (host h, pid 11) understands the job otherwise than worker 0: table W (3, 7) instead of"
    assert outcome.message.startswith(differ)


def test_who_cannot_say_its_plan_is_let_in_to_say_why(fresh: Coordinator) -> None:
    for seat, plan in ((W0, "a"), (W1, "")):
        fresh.handle(joined(seat, plan=plan), 0.0)
    assert len(told(fresh.handle(joined(S0, plan="a"), 0.0), Roster)) == 3


def test_workers_that_wait_for_each_other_fail_after_the_silence(running: Coordinator) -> None:
    running.handle(HandedIn("worker-0", 0, np.array([1]), clock=2), 1.0)
    for now in range(2, 12):
        running.handle(Waiting("worker-1", "server 0 to send rows as of clock 2", clock=3, until=3), now)
        assert running.handle(Tick(), now) == []
    outcome = ended(running.handle(Tick(), 12.0))
    assert outcome.message.startswith("the workers wait for each other: worker 0 waits for the others in a sum or")
    assert outcome.message.endswith("sum and gather equally often, and end equally many clocks or return")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_sum_does_not_meet_work_that_has_returned(running: Coordinator, order: tuple[int, int]) -> None:
    parts = [HandedIn("worker-0", 3, np.array([1]), clock=FOREVER), HandedIn("worker-1", 3, np.array([1]), clock=5)]
    first, second = order
    assert running.handle(parts[first], 1.0) == []
    outcome = ended(running.handle(parts[second], 1.0))
    assert outcome.culprit == W1
    assert outcome.message.startswith("the work of worker 0 has returned, but worker 1 still calls sum or gather")


def test_a_worker_that_waits_for_one_that_computes_is_patient(running: Coordinator) -> None:
    for now in range(1, 100):
        running.handle(Waiting("worker-1", "server 0 to send rows as of clock 2", clock=3, until=3), now)
        assert running.handle(Tick(), now) == []


def test_a_gather_answers_all_in_worker_order(running: Coordinator) -> None:
    assert running.handle(HandedIn("worker-1", 0, np.array([1])), 1.0) == []
    gathered = told(running.handle(HandedIn("worker-0", 0, np.array([0])), 1.0), Gathered)
    assert {peer: [a.item() for a in g.arrays] for peer, g in gathered.items()} == {
        "worker-0": [0, 1],
        "worker-1": [0, 1],
    }


def test_reports_are_passed_on_with_their_worker(running: Coordinator) -> None:
    assert running.handle(Reported("worker-1", {"loss": 0.5}), 1.0) == [Report(1, {"loss": 0.5})]
    assert running.handle(Reported("nobody", {"loss": 0.5}), 1.0) == []


def test_the_run_succeeds_with_its_last_worker_and_keeps_worker_0s_result(running: Coordinator) -> None:
    assert list(told(running.handle(Finished("worker-0", {"a": 1}), 1.0), Ack)) == ["worker-0"]
    assert ended(running.handle(Finished("worker-1", {"b": 1}), 2.0)) == Outcome("succeeded", result={"a": 1})


def test_a_server_is_let_go_with_the_last_worker(running: Coordinator) -> None:
    running.handle(Finished("worker-0", None), 1.0)
    assert running.handle(Finished("server-0", None), 2.0) == []
    assert "server-0" in running.peers()
    assert set(told(running.handle(Finished("worker-1", None), 3.0), Ack)) == {"worker-1", "server-0"}
    assert list(told(running.handle(Finished("server-0", None), 4.0), Ack)) == ["server-0"]


def test_an_error_ends_the_run_for_all(running: Coordinator) -> None:
    effects = running.handle(Failed("worker-0", "ValueError: no"), 1.0)
    assert ended(effects) == Outcome("failed", "worker 0: ValueError: no", W0)
    assert {peer: abort.reason for peer, abort in told(effects, Abort).items()} == dict.fromkeys(
        ("worker-0", "worker-1", "server-0"), "worker 0: ValueError: no"
    )


def test_silence_counts_from_the_first_failure_to_reach(running: Coordinator) -> None:
    running.handle(Unreachable("server-0"), 5.0)
    running.handle(Unreachable("server-0"), 9.0)
    assert running.handle(Tick(), 14.9) == []
    outcome = ended(running.handle(Tick(), 15.0))
    assert outcome == Outcome("failed", "server 0 (host h, pid 10) was silent for 10 s", S0)


def test_a_connection_that_comes_back_is_forgiven(running: Coordinator) -> None:
    running.handle(Unreachable("worker-1"), 5.0)
    running.handle(Reachable("worker-1"), 6.0)
    running.handle(Unreachable("worker-1"), 14.0)
    assert running.handle(Tick(), 20.0) == []


def test_the_own_words_of_a_process_that_ended_win(running: Coordinator) -> None:
    running.handle(Exited(W1, "(pid 11) ended with exit code 1"), 1.0)
    assert running.handle(Tick(), 1.1) == []
    assert ended(running.handle(Failed("worker-1", "KeyError: 'x'"), 1.2)).message == "worker 1: KeyError: 'x'"


def test_a_process_that_ended_without_a_word_is_named(running: Coordinator) -> None:
    running.handle(Exited(W1, "(pid 11) was killed by SIGKILL"), 1.0)
    assert ended(running.handle(Tick(), 1.6)).message == "worker 1 (pid 11) was killed by SIGKILL"


def test_the_end_of_a_process_that_had_finished_is_none(running: Coordinator) -> None:
    running.handle(Finished("worker-1", None), 1.0)
    running.handle(Exited(W1, "(pid 11) ended with exit code 0"), 1.0)
    running.handle(Unreachable("worker-1"), 1.0)
    assert running.handle(Tick(), 50.0) == []


def test_a_gather_without_a_worker_that_has_finished_fails(running: Coordinator) -> None:
    running.handle(HandedIn("worker-0", 0, np.array([1])), 1.0)
    assert ended(running.handle(Finished("worker-1", None), 2.0)).message.startswith("worker 1 finished while others")


def test_a_deadline_names_who_was_waited_for(running: Coordinator) -> None:
    running.handle(HandedIn("worker-0", 0, np.array([1])), 1.0)
    outcome = ended(running.handle(Stop("deadline", "the run's deadline of 5 s has passed"), 2.0))
    assert outcome == Outcome("deadline", "the run's deadline of 5 s has passed (the others waited for worker 1)")


def test_after_the_end_everybody_who_asks_is_told(running: Coordinator) -> None:
    running.handle(Stop("killed", "killed by a user"), 1.0)
    for event in (HandedIn("worker-0", 3, np.array([1])), Finished("worker-0", None), joined(W0)):
        assert told(running.handle(event, 2.0), Abort)["worker-0"].reason == "killed by a user"


PEERS = st.sampled_from(["worker-0", "worker-1", "server-0", "another"])
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(joined, st.sampled_from([W0, W1, S0, Seat("worker", 5)]), st.one_of(st.none(), PEERS)),
    st.builds(HandedIn, PEERS, st.integers(0, 3), st.just(np.zeros(1))),
    st.builds(Claiming, PEERS, st.integers(0, 3), st.booleans()),
    st.builds(Waiting, PEERS, st.sampled_from(["rows", ""]), st.integers(0, 3), st.integers(0, 3)),
    st.builds(Reported, PEERS, st.just({"loss": 1.0})),
    st.builds(Finished, PEERS, st.none()),
    st.builds(Failed, PEERS, st.just("ValueError: no")),
    st.builds(Exited, st.sampled_from([W0, W1, S0]), st.just("(pid 1) ended")),
    st.builds(Unreachable, PEERS),
    st.builds(Reachable, PEERS),
    st.just(Tick()),
    st.builds(Stop, st.sampled_from(["killed", "interrupted", "deadline"]), st.just("asked for")),
)


@given(st.booleans(), st.lists(st.tuples(EVENTS, st.floats(0, 5)), max_size=60))
def test_any_history_ends_once_and_stays_ended(start: bool, history: list[tuple[Event, float]]) -> None:
    coordinator = Coordinator(ROLES, silence=10.0, join_by=60.0, splits=(2, 3))
    now, ends = 0.0, 0
    for event, pause in [*((joined(seat), 0.0) for seat in seats(ROLES) if start), *history]:
        now += pause
        effects = coordinator.handle(event, now)
        coordinator.check()
        ends += sum(isinstance(effect, End) for effect in effects)
        assert ends == (coordinator.outcome is not None)
        if ends and not any(isinstance(effect, End) for effect in effects):
            assert all(isinstance(e, Send) and isinstance(e.message, Abort | Ack) for e in effects)


@given(st.permutations([W0, W1, S0]), st.lists(st.tuples(EVENTS, st.floats(0, 5)), max_size=30))
@example([W0, W1, S0], [(Exited(W0, "(pid 1) ended"), 0.0), (Finished("worker-0", None), 0.0)])
def test_no_run_lasts_with_somebody_out_of_reach(order: list[Seat], history: list[tuple[Event, float]]) -> None:
    coordinator = Coordinator(ROLES, silence=10.0, join_by=60.0)
    for seat in order:
        coordinator.handle(joined(seat), 0.0)
    now = 0.0
    for event, pause in history:
        now += pause
        coordinator.handle(event, now)
    for peer in coordinator.peers():
        coordinator.handle(Unreachable(peer), now)
    coordinator.handle(Tick(), now + 10.1)
    assert coordinator.outcome is not None


def test_containers_take_any_seat_best_where_their_rows_are() -> None:
    machine = Coordinator({"worker": 3, "server": 1}, silence=5.0, join_by=60.0, homes=[["b"], ["a"], []])
    effects: list[Effect] = []
    for peer, role, host in (("p", "worker", "a"), ("q", "worker", "c"), ("s", "server", "b"), ("r", "worker", "b")):
        effects = machine.handle(Joined(peer, Seat(role, ANY), "tcp://s" if role == "server" else "", peer, host), 1.0)
        machine.check()
    rosters = {e.peer: e.message for e in effects if isinstance(e, Send) and isinstance(e.message, Roster)}
    assert {peer: roster.index for peer, roster in rosters.items()} == {"r": 0, "p": 1, "q": 2, "s": 0}
    assert all(roster.servers == ("tcp://s",) for roster in rosters.values())


def test_who_comes_to_a_full_run_is_refused_and_blames_nobody() -> None:
    machine = Coordinator({"worker": 1, "server": 1}, silence=5.0, join_by=60.0)
    for peer, role in (("p", "worker"), ("s", "server")):
        machine.handle(Joined(peer, Seat(role, ANY), "", peer), 1.0)
    [refusal] = machine.handle(Joined("q", Seat("worker", ANY), "", "q"), 2.0)
    assert isinstance(refusal, Send)
    assert refusal.message == Abort(reason="this run has all its workers")
    assert machine.missing() == []


def test_seats_that_are_waited_for_are_counted_by_role() -> None:
    machine = Coordinator({"worker": 3, "server": 1}, silence=5.0, join_by=60.0)
    machine.handle(Joined("p", Seat("worker", ANY), "", "p"), 1.0)
    assert machine.missing() == [Seat("worker", 1), Seat("worker", 2), Seat("server", 0)]
    assert len(machine.here()) == 1
