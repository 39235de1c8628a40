"""Deaths: what the coordinator does about chosen ones, and random ones in a world of processes that obey it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnml.comm.company import ANEW, FOREVER, LATE, OVER
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Commit, Discard, Effect, End, Replace, Say, Send, Setback
from yarnml.comm.events import (
    Claiming,
    Committed,
    Copied,
    Event,
    Exited,
    Finished,
    HandedIn,
    Joined,
    Keeping,
    Outdated,
    Reported,
    Retreating,
    Spoilt,
    Stop,
    Tick,
    Unreachable,
)
from yarnml.comm.outcome import Outcome
from yarnml.comm.ranks import LAST_WORDS
from yarnml.comm.recovery import Point, Recovery
from yarnml.comm.seat import ANY, Seat, seats
from yarnml.wire.message import Abort, Claimed, Mark, Message, Rollback, Roster

ROLES = {"worker": 2, "server": 1}
W0, W1, S0 = SEATS = seats(ROLES)
TARGET = 12  # clocks of a run


def coordinator(splits: tuple[int, ...] = (), **settings: Any) -> Coordinator:
    settings = {"retries": 3, "checkpoints": "run/checkpoints", **settings}
    return Coordinator(ROLES, silence=10.0, join_by=60.0, recovery=Recovery(**settings), splits=splits)


def joined(seat: Seat, peer: str = "", generation: int = 0) -> Joined:
    return Joined(peer or seat.slug, seat, f"tcp://{seat.slug}", "host h, pid 1", generation=generation)


def running(**settings: Any) -> Coordinator:
    machine = coordinator(**settings)
    for seat in SEATS:
        machine.handle(joined(seat), 0.0)
    return machine


def death(machine: Coordinator, seat: Seat, now: float = 1.0, **more: Any) -> list[Effect]:
    machine.handle(Exited(seat, "(pid 1) was killed by SIGKILL", **more), now)
    return machine.handle(Tick(), now + LAST_WORDS)


def told(effects: list[Effect], kind: type[Message]) -> dict[str, Any]:
    return {e.peer: e.message for e in effects if isinstance(e, Send) and isinstance(e.message, kind)}


def replaced(effects: list[Effect]) -> list[Seat]:
    return [effect.seat for effect in effects if isinstance(effect, Replace)]


def setback(effects: list[Effect]) -> Setback | None:
    return next((effect for effect in effects if isinstance(effect, Setback)), None)


def outcome(effects: list[Effect]) -> Outcome | None:
    return next((effect.outcome for effect in effects if isinstance(effect, End)), None)


def test_a_worker_that_keeps_nothing_is_replaced_and_nobody_else_hears_of_it() -> None:
    machine = running()
    effects = death(machine, W1)
    assert replaced(effects) == [W1]
    assert not any(isinstance(effect, Send | Setback) for effect in effects)
    rosters = told(machine.handle(joined(W1, "new"), 3.0), Roster)
    assert rosters == {"new": Roster(servers=("tcp://server-0",), index=1, incarnation=1, going=True)}
    assert machine.generation == 0


def claims(machine: Coordinator, peer: str, *numbers: int) -> list[tuple[int, int]]:
    """What a worker is told of its claims of these numbers."""
    told_ = [told(machine.handle(Claiming(peer, number), 5.0), Claimed)[peer] for number in numbers]
    return [(claimed.owner, claimed.number) for claimed in told_]


def test_what_a_dead_worker_has_claimed_is_anybodys() -> None:
    machine = running(splits=(2, 1))
    assert claims(machine, "worker-1", 0, 1, 2) == [(1, 0), (0, 1), (0, 0)]
    assert claims(machine, "worker-0", 0) == [(-1, -1)]
    death(machine, W1)
    machine.handle(joined(W1, "new"), 3.0)
    assert machine.handle(Claiming("worker-1", 3), 5.0) == []
    assert claims(machine, "new", 0, 0, 1, 2, 3) == [(1, 0), (1, 0), (0, 1), (0, 0), (-1, -1)]
    machine.check()


def test_what_a_dead_worker_has_told_the_others_that_it_read_is_nobody_elses() -> None:
    machine = running(splits=(1, 1))
    assert claims(machine, "worker-0", 0, 1, 2) == [(0, 0), (1, 0), (-1, -1)]
    machine.handle(HandedIn("worker-0", 0, object(), clock=0), 1.0)  # type: ignore[arg-type]
    death(machine, W0)
    assert claims(machine, "worker-1", 0) == [(-1, -1)]


def test_a_new_generation_claims_anew() -> None:
    machine = running(splits=(1, 1))
    assert claims(machine, "worker-0", 0, 1) == [(0, 0), (1, 0)]
    death(machine, S0)
    assert machine.handle(Claiming("worker-0", 2), 2.0) == []  # it has yet to join
    for seat in SEATS:
        machine.handle(joined(seat, "" if seat.role == "worker" else "new", generation=1), 3.0)
    assert claims(machine, "worker-1", 0, 1) == [(1, 0), (0, 0)]


def test_who_takes_a_workers_place_is_told_how_often_that_one_had_met_others() -> None:
    machine = running()
    for peer in ("worker-0", "worker-1"):
        machine.handle(HandedIn(peer, 0, object(), clock=0), 1.0)  # type: ignore[arg-type]
    death(machine, W1)
    assert told(machine.handle(joined(W1, "new"), 3.0), Roster)["new"].rounds == 1


@pytest.mark.parametrize("seat", [W1, S0], ids=str)
def test_a_loss_that_nobody_can_make_up_for_takes_all_back(seat: Seat) -> None:
    machine = running()
    machine.handle(Committed(7, "run/checkpoints/7"), 0.5)
    machine.handle(Keeping("worker-1"), 0.6)
    effects = death(machine, seat)
    assert setback(effects) == Setback(1, 7, f"{seat} (pid 1) was killed by SIGKILL", "run/checkpoints/7")
    assert replaced(effects) == [seat]
    alive = [other for other in SEATS if other != seat]
    assert set(told(effects, Rollback)) == {other.slug for other in alive}
    for other in alive:
        assert set(told(machine.handle(joined(other), 1.9), Rollback)) == {other.slug}  # it hadn't heard yet
        assert machine.handle(joined(other, generation=1), 2.0) == []
    rosters = told(machine.handle(joined(seat, "new"), 3.0), Roster)
    assert set(rosters) == {"new", *(other.slug for other in alive)}
    assert {(r.generation, r.clock, r.checkpoint, r.going) for r in rosters.values()} == {
        (1, 7, "run/checkpoints/7", False)
    }


def test_a_worker_whose_work_has_returned_cannot_be_replaced() -> None:
    machine = running()
    machine.handle(Reported("worker-1", {}, FOREVER), 0.5)
    assert setback(death(machine, W1)) is not None


def test_who_cannot_go_on_in_anothers_place_takes_all_back_at_no_cost() -> None:
    machine = running(retries=1)
    death(machine, W1)
    machine.handle(joined(W1, "new"), 3.0)
    effects = machine.handle(Retreating("new", "the servers disagree"), 4.0)
    assert setback(effects) == Setback(1, 0, "the servers disagree")
    assert replaced(effects) == []
    assert set(told(effects, Rollback)) == {"worker-0", "new", "server-0"}


def test_without_retries_the_first_death_ends_the_run_by_name() -> None:
    end = outcome(death(running(retries=0), W1))
    assert end == Outcome("failed", "worker 1 (pid 1) was killed by SIGKILL", W1)


def test_deaths_at_the_same_place_are_counted_and_anew_beyond_it() -> None:
    machine = running(retries=2)
    now = 10.0

    def lives_until(clock: int, seconds: float) -> Outcome | None:
        nonlocal now
        for other in ("worker-0", f"w{now}"):
            machine.handle(Reported(other, {}, clock), now)
        now += seconds
        end = outcome(death(machine, W1, now))
        now += 1.0
        machine.handle(joined(W1, f"w{now}"), now)
        return end

    machine.handle(Reported("worker-1", {}, 5), now)
    assert [lives_until(5, 5.0), lives_until(5, 5.0)] == [None, None]
    assert lives_until(6, 5.0) is None  # it got further
    assert lives_until(6, 5.0) is None
    end = lives_until(7, 0.1)  # so little further may be a report that came later
    assert end is not None
    assert end.message == "worker 1 (pid 1) was killed by SIGKILL; 2 restarts brought the run no further"


def test_what_the_cluster_takes_is_not_counted_and_what_is_hopeless_not_tried() -> None:
    machine = running(retries=1)
    for n in range(5):
        assert outcome(death(machine, W1, 10.0 * n, cause="taken")) is None
        machine.handle(joined(W1, f"new-{n}"), 10.0 * n + 1)
    end = outcome(death(machine, W1, 100.0, cause="hopeless"))
    assert end is not None
    assert end.culprit == W1


def test_an_exit_is_of_the_process_that_it_names() -> None:
    machine = running()
    effects = death(machine, W1, who="container_7")
    assert effects == []


def test_who_is_silent_is_replaced_and_refused_when_it_comes_back() -> None:
    machine = running()
    machine.handle(Unreachable("worker-1"), 1.0)
    assert replaced(machine.handle(Tick(), 11.0)) == [W1]
    assert told(machine.handle(joined(W1), 12.0), Abort)["worker-1"].reason.startswith("worker 1 has been replaced")


def test_a_new_process_that_never_comes_ends_the_run_by_name() -> None:
    machine = running(within=20.0)
    death(machine, W1, 100.0)
    assert outcome(machine.handle(Tick(), 120.0)) is None
    end = outcome(machine.handle(Tick(), 121.0))
    assert end is not None
    assert end.message == "the run could not go on: worker 1 did not join in time"


def test_who_has_missed_the_rollback_is_told_again() -> None:
    machine = running()
    death(machine, S0)
    assert set(told(machine.handle(Outdated("worker-0"), 3.0), Rollback)) == {"worker-0"}


def test_a_container_too_many_waits_for_a_seat() -> None:
    machine = running()
    assert machine.handle(joined(Seat("worker", ANY), "spare"), 1.0) == []
    rosters = told(death(machine, W1), Roster)
    assert set(rosters) == {"spare"}
    assert rosters["spare"].going


def test_one_that_waits_for_a_seat_takes_no_part_in_checkpoints() -> None:
    machine = running(every=5.0)
    machine.handle(joined(Seat("worker", ANY), "spare"), 1.0)
    marks = told(machine.handle(Tick(), 5.0), Mark)
    assert set(marks) == {"worker-0", "worker-1", "server-0"}
    effects = [effect for peer, mark in marks.items() for effect in machine.handle(Copied(peer, mark.clock), 5.1)]
    assert [type(effect) for effect in effects] == [Commit]


def marked(machine: Coordinator, now: float) -> Mark:
    found: list[Mark] = list(told(machine.handle(Tick(), now), Mark).values())
    return found[0]


def test_a_checkpoint_is_whole_once_all_have_their_part() -> None:
    machine = running(every=5.0)
    for peer in ("worker-0", "worker-1"):
        machine.handle(Reported(peer, {}, 40), 4.0)
    assert told(machine.handle(Tick(), 4.9), Mark) == {}
    marks = told(machine.handle(Tick(), 5.0), Mark)
    assert set(marks) == {"worker-0", "worker-1", "server-0"}
    mark = marks["worker-0"]
    assert mark.clock > 41
    assert machine.handle(Copied("worker-0", mark.clock), 5.5) == []
    assert machine.handle(Copied("worker-0", mark.clock), 5.5) == []  # said twice
    assert machine.handle(Copied("server-0", mark.clock), 5.6) == []
    assert machine.handle(Copied("worker-1", mark.clock), 5.7) == [Commit(0, mark.clock, mark.url)]
    assert told(machine.handle(Tick(), 10.6), Mark) == {}
    assert set(told(machine.handle(Tick(), 10.7), Mark)) == {"worker-0", "worker-1", "server-0"}


def test_a_checkpoint_that_cannot_be_read_any_more_takes_the_run_further_back() -> None:
    machine = running()
    for clock in (5, 8, 9):
        machine.handle(Committed(clock, f"run/{clock}"), 1.0)
    [back] = [effect for effect in death(machine, S0) if isinstance(effect, Setback)]
    assert (back.clock, back.checkpoint) == (9, "run/9")
    for clock, older in ((9, 8), (8, 0)):  # no more than two are kept
        [said, back] = machine.handle(Spoilt(f"run/{clock}", "is broken"), 2.0)  # type: ignore[assignment]
        assert said == Say("back further: is broken")
        assert (back.generation, back.clock) == (1, older)
        assert back.checkpoint == (f"run/{older}" if older else "")
    found = [
        machine.handle(joined(seat, f"{seat.slug}.new" if seat == S0 else "", generation=1), 3.0) for seat in SEATS
    ]
    assert {roster.clock for roster in told(found[-1], Roster).values()} == {0}


def test_a_mark_that_comes_too_late_is_set_further_ahead() -> None:
    machine = running(every=5.0)
    first = marked(machine, 5.0)
    assert machine.handle(Copied("worker-1", first.clock, LATE), 5.1) == [Discard(first.url)]
    second = marked(machine, 5.2)
    assert second.clock == 2 * first.clock
    assert second.url != first.url


def test_work_that_knows_no_middle_is_asked_for_a_checkpoint_once() -> None:
    machine = running(every=5.0)
    mark = marked(machine, 5.0)
    [gone, said] = machine.handle(Copied("worker-0", mark.clock, ANEW), 5.1)
    assert gone == Discard(mark.url)
    assert isinstance(said, Say)
    assert said.text.startswith(f"no checkpoints: {ANEW}")
    assert machine.handle(Copied("worker-1", mark.clock, ANEW), 5.2) == []
    death(machine, S0, 20.0)
    for seat in SEATS:
        machine.handle(joined(seat, f"{seat.slug}.new" if seat == S0 else "", generation=1), 21.0)
    assert told(machine.handle(Tick(), 40.0), Mark) == {}


def test_a_checkpoint_that_cannot_be_written_is_said_and_tried_later() -> None:
    machine = running(every=5.0)
    mark = marked(machine, 5.0)
    effects = machine.handle(Copied("server-0", mark.clock, "the disk is full"), 5.1)
    assert effects == [Discard(mark.url), Say("no checkpoint this time: server 0: the disk is full")]
    assert told(machine.handle(Tick(), 6.0), Mark) == {}
    assert marked(machine, 10.2).clock == mark.clock + 1  # a copy is told by its clock


KILLED = Stop("killed", "killed by somebody")


def moving(**settings: Any) -> Coordinator:
    """Both workers have ended 40 clocks."""
    machine = running(**{"every": 60.0, "grace": 5.0, **settings})
    for peer in ("worker-0", "worker-1"):
        machine.handle(Reported(peer, {}, 40), 4.0)
    return machine


def test_a_run_that_is_to_end_takes_a_last_checkpoint_and_then_does() -> None:
    machine = moving()
    assert machine.handle(KILLED, 5.0) == []
    mark = marked(machine, 5.0)
    assert mark.clock == 41
    effects = [effect for seat in SEATS for effect in machine.handle(Copied(seat.slug, 41), 5.1)]
    assert effects == [Commit(0, 41, mark.url)]
    assert told(machine.handle(Tick(), 5.2), Mark) == {}
    effects = machine.handle(Committed(41, "run/checkpoints/41"), 5.3)
    assert outcome(effects) == Outcome("killed", "killed by somebody")
    assert set(told(effects, Abort)) == {seat.slug for seat in SEATS}


def test_a_last_checkpoint_that_is_late_is_set_further_ahead_and_not_waited_for_for_ever() -> None:
    machine = moving()
    machine.handle(KILLED, 5.0)
    first = marked(machine, 5.0)
    assert machine.handle(Copied("worker-1", first.clock, LATE), 5.1) == [Discard(first.url)]
    assert marked(machine, 5.2).clock > first.clock
    assert machine.handle(KILLED, 9.0) == []  # as a cluster's scheduler says it, time and again
    end = outcome(machine.handle(Tick(), 10.0))
    assert end == Outcome("killed", "killed by somebody; no last checkpoint came about within 5 s")


@pytest.mark.parametrize("error", [ANEW, "the disk is full"])
def test_a_last_checkpoint_that_cannot_be_is_not_waited_for(error: str) -> None:
    machine = moving()
    machine.handle(KILLED, 5.0)
    mark = marked(machine, 5.0)
    effects = machine.handle(Copied("worker-1", mark.clock, error), 5.1)
    assert any(isinstance(effect, Say) for effect in effects)
    assert outcome(effects) == Outcome("killed", "killed by somebody")


def test_one_that_was_named_already_is_the_last_if_it_comes_as_soon() -> None:
    machine = moving(every=1.0)
    mark = marked(machine, 4.5)
    assert mark.clock == 42
    for peer in ("worker-0", "worker-1"):
        machine.handle(Reported(peer, {}, 41), 4.6)
    assert machine.handle(KILLED, 4.7) == []
    assert told(machine.handle(Tick(), 4.8), Mark) == {}
    effects = [effect for seat in SEATS for effect in machine.handle(Copied(seat.slug, 42), 4.9)]
    assert effects == [Commit(0, 42, mark.url)]
    assert told(machine.handle(Tick(), 6.5), Mark) == {}  # though it is time for another
    assert outcome(machine.handle(Committed(42, "run/42"), 6.6)) is not None


@pytest.mark.parametrize("what", ["nothing", "kept", "none", "again", "grace"])
def test_where_there_is_nothing_to_keep_the_end_is_at_once(what: str) -> None:
    machine = (
        running(every=60.0)
        if what == "nothing"
        else moving(every=60.0 * (what != "none"), grace=5.0 * (what != "grace"))
    )
    if what == "kept":
        machine.handle(Committed(40, "run/40"), 4.5)
    if what == "again":
        assert machine.handle(KILLED, 5.0) == []
    effects = machine.handle(replace(KILLED, at_once=what == "again"), 5.1)
    end = outcome(effects)
    assert end is not None
    assert (end.state, end.message.partition(";")[0]) == ("killed", "killed by somebody")


def test_who_dies_while_the_run_ends_is_not_replaced() -> None:
    machine = moving()
    machine.handle(KILLED, 5.0)
    marked(machine, 5.0)
    effects = machine.handle(Exited(W1, "(pid 1) was killed by SIGKILL"), 5.1)
    assert replaced(effects) == []
    assert outcome(effects) is not None


def test_work_that_returns_meanwhile_has_the_run_succeed() -> None:
    machine = moving()
    machine.handle(KILLED, 5.0)
    mark = marked(machine, 5.0)
    for peer in ("worker-0", "worker-1"):
        machine.handle(Reported(peer, {}, FOREVER), 5.1)
        machine.handle(Copied(peer, mark.clock, OVER), 5.1)
    assert outcome(machine.handle(Finished("worker-1", None), 5.2)) is None
    assert outcome(machine.handle(Finished("worker-0", {"a": 1}), 5.3)) == Outcome("succeeded", result={"a": 1})


@dataclass
class Process:
    """One that does as it is told: it joins, counts clocks, takes part in checkpoints, finishes."""

    seat: Seat
    peer: str
    keeps: bool = False
    generation: int | None = None  # that it works in
    clock: int = 0
    mark: Mark | None = None


@dataclass
class World:
    """Processes and what lies on the way between them and the coordinator. Time passes with each event."""

    machine: Coordinator
    now: float = 0.0
    processes: dict[Seat, Process] = field(default_factory=dict)
    ended: dict[Seat, int] = field(default_factory=dict)  # clocks of each worker that the servers have taken
    arriving: list[Event] = field(default_factory=list)
    committed: int = 0
    generation: int = 0
    outcome: Outcome | None = None

    def begin(self, seat: Seat) -> None:
        self.processes[seat] = process = Process(seat, f"{seat.slug}@{self.now}")
        self.arriving.append(joined(seat, process.peer))

    def handle(self, event: Event, seconds: float = 0.01) -> None:
        self.now += seconds
        for effect in self.machine.handle(event, self.now):
            self.do(effect)
        self.machine.check()

    def do(self, effect: Effect) -> None:
        match effect:
            case Send():
                process = next((p for p in self.processes.values() if p.peer == effect.peer), None)
                if process is not None:
                    self.hear(process, effect.message)
            case Replace():
                self.begin(effect.seat)
            case Setback():
                assert effect.clock == self.committed
                self.generation = effect.generation
                self.ended = dict.fromkeys(self.ended, effect.clock)
            case Commit():
                assert all(self.ended[seat] >= effect.clock for seat in SEATS if seat.role == "worker")
                self.committed = effect.clock
                self.arriving.append(Committed(effect.clock, effect.url))
                self.arrive(-1)
            case End():
                self.outcome = effect.outcome

    def hear(self, process: Process, message: Message) -> None:
        match message:
            case Roster():
                process.generation, process.mark = message.generation, None
                process.clock = self.ended.get(process.seat, 0) if message.going else message.clock
                assert process.clock == self.ended.get(process.seat, 0)
                assert not message.going or process.seat.role == "worker"
            case Rollback():
                process.generation = None
                self.arriving.append(joined(process.seat, process.peer, message.generation))
            case Mark() if message.generation == process.generation:
                late = process.seat.role == "worker" and process.clock >= message.clock
                process.mark = None if late else message
                if late or process.seat.role == "server":
                    self.arriving.append(Copied(process.peer, message.clock, LATE if late else ""))

    def arrive(self, which: int) -> None:
        if self.arriving:
            event = self.arriving.pop(which % len(self.arriving))
            alive = {process.peer for process in self.processes.values()}
            if getattr(event, "peer", None) in alive | {None}:
                self.handle(event)

    def die(self, seat: Seat) -> None:
        if self.processes.pop(seat, None) is not None:
            self.handle(Exited(seat, "(pid 1) was killed by SIGKILL", cause="taken"))

    def step(self, seat: Seat) -> None:
        """A worker ends a clock, if no other is a clock behind it."""
        process = self.processes.get(seat)
        if process is None or process.generation != self.machine.generation or process.clock >= TARGET:
            return
        if process.clock > min(self.ended.values()):
            return
        if not process.keeps and seat == W0:
            process.keeps = True
            self.handle(Keeping(process.peer))
        process.clock += 1
        self.ended[seat] = process.clock
        self.handle(Reported(process.peer, {}, process.clock))
        if process.mark is not None and process.mark.clock == process.clock:
            self.arriving.append(Copied(process.peer, process.clock))

    @property
    def whole(self) -> bool:
        """All are there, in the same generation, and whoever is no more is known to be."""
        return all(
            seat in self.processes and self.processes[seat].generation == self.machine.generation for seat in SEATS
        )

    def settle(self, turns: int = 400) -> None:
        """Nobody dies any more: the run comes to its end."""
        for _ in range(turns):
            while self.arriving:
                self.arrive(0)
            for seat in (W0, W1):
                self.step(seat)
                process = self.processes.get(seat)
                if process is not None and process.clock == TARGET and process.generation == self.machine.generation:
                    self.handle(Finished(process.peer, {}))
            if self.outcome is not None:
                return
            self.handle(Tick(), 0.3)


ACTIONS = st.one_of(
    st.tuples(st.just("die"), st.sampled_from(SEATS)),
    st.tuples(st.just("step"), st.sampled_from((W0, W1))),
    st.tuples(st.just("step"), st.sampled_from((W0, W1))),
    st.tuples(st.just("arrive"), st.integers(0, 5)),
    st.tuples(st.just("tick"), st.floats(0.05, 1.0)),
)


@given(st.lists(ACTIONS, max_size=80), st.integers(0, 80))
def test_a_run_that_is_to_end_does_whenever_that_is_and_whoever_dies(history: list[tuple[str, Any]], when: int) -> None:
    """With a checkpoint of all that its workers had ended, unless somebody had died or the time was up."""
    world = World(coordinator(every=1.0, point=Point(), grace=5.0), ended={W0: 0, W1: 0})
    for seat in SEATS:
        world.begin(seat)
    disturbed, had = False, 0
    for n, (what, which) in enumerate([*history, *[("tick", 0.1)] * (when + 1 - len(history))]):
        if n == when:
            had = min(world.ended.values())
            disturbed = not world.whole
            world.handle(Stop("killed", "enough"))
        disturbed |= n > when and what == "die"
        if world.outcome is not None:
            break
        world.handle(Tick(), which) if what == "tick" else getattr(world, what)(which)
    until = world.now + 8.0
    while world.outcome is None and world.now < until:
        world.settle(1)
    assert world.outcome is not None
    assert world.outcome.ok or (world.outcome.state == "killed" and (disturbed or world.committed >= had))


@given(st.lists(ACTIONS, max_size=80))
def test_whoever_dies_whenever_the_run_ends_with_every_clock(history: list[tuple[str, Any]]) -> None:
    world = World(coordinator(every=1.0, point=Point()), ended={W0: 0, W1: 0})
    for seat in SEATS:
        world.begin(seat)
    for what, which in history:
        match what:
            case "tick":
                world.handle(Tick(), which)
            case _:
                getattr(world, what)(which)
    world.settle()
    assert world.outcome is not None
    assert world.outcome.ok, world.outcome.message
    assert world.ended == {W0: TARGET, W1: TARGET}
