"""The coordinator: knows who takes part in a run, lets workers meet, brings it back after a death, ends it (pure).

event        while a generation joins       while it runs                        when over
Joined       seat it, or refuse; all are    who takes a dead one's place: the    say so
             here: the roster, or failure   roster; others again, or refuse
             if plans differ
HandedIn     -                              complete: everybody's parts          say so
Waiting      -                              note it                              -
Reported     pass on, note its clock        pass on, note its clock              -
Keeping      note it                        note it: no other can replace it     -
Retreating   -                              a new generation                     -
Copied       -                              all have: the checkpoint is whole    -
Committed    the next generation's begin    the next generation's begin          -
Finished     -                              acknowledge; the last worker's       acknowledge, or say so
                                            is the run's success
Failed       failure                        failure                              say so
Exited,      note; unless it finished, its seat is another's, within a running   -
silent       generation if nothing is lost by that, else in a new one; or failure
Outdated     the rollback again             the rollback again                   say so
Tick         too late, exited, silent       exited, silent, a mark is due, each  -
                                            waiting for the other: failure
Stop         the end                        the end                              -
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, final

from yarnml.comm.assembly import Assembly, Fault
from yarnml.comm.company import FOREVER
from yarnml.comm.effects import Effect, End, Replace, Report, Say, Send, Setback
from yarnml.comm.events import (
    Committed,
    Copied,
    Event,
    Exited,
    Failed,
    Finished,
    HandedIn,
    Joined,
    Keeping,
    Outdated,
    Reachable,
    Reported,
    Retreating,
    Stop,
    Tick,
    Unreachable,
    Waiting,
)
from yarnml.comm.marks import Marks
from yarnml.comm.outcome import Outcome
from yarnml.comm.recovery import NO_RECOVERY, Point, Recovery
from yarnml.comm.retries import Retries
from yarnml.comm.roll import Entry, Homes, Roll
from yarnml.comm.seat import ANY, Seat, spoken
from yarnml.wire.message import Abort, Ack, Gathered, Rollback, Roster

LAST_WORDS = 0.5  # seconds in which what a process said before it ended may still arrive, and tells more


@final
class Coordinator:
    """`handle` takes what happened and when, in seconds on any one clock, and returns what is to be done."""

    def __init__(
        self,
        roles: Mapping[str, int],
        *,
        silence: float,
        join_by: float,
        homes: Homes = (),
        recovery: Recovery = NO_RECOVERY,
    ) -> None:
        """`roles`: how many of each; `silence`: seconds out of reach that count as death; `join_by`: on the clock.

        `homes`: for each worker, the hosts that it had best be on, where containers take any seat.
        """
        self._silence = silence
        self._join_by = join_by
        self._homes = homes
        self._recovery = recovery
        self._roll = Roll(roles, spares=recovery.retries > 0)
        self._retries = Retries(recovery.retries)
        self._marks = Marks(recovery.checkpoints, recovery.every)
        self._point = recovery.point  # where the next generation begins
        self.generation = recovery.point.generation
        self._workers = roles["worker"]
        self._running = False  # all have joined this generation
        self._assembly = Assembly(self._workers, self._point.clock)
        self._back = ""  # why this generation began
        self._exits: list[tuple[float, Exited]] = []
        self._restarts = 0
        self._result: dict[str, Any] | None = None
        self.outcome: Outcome | None = None

    def handle(self, event: Event, now: float) -> list[Effect]:
        if self.outcome is not None:
            return self._remind(event, self.outcome)
        try:
            return self._live(event, now)
        except Fault as fault:
            return self._end(Outcome("failed", fault.message, fault.culprit))

    def _live(self, event: Event, now: float) -> list[Effect]:
        match event:
            case Exited():
                return self._exit(event, now)
            case Unreachable() | Reachable():
                return self._reach(event, now)
            case Committed():
                return self._commit(event)
            case Tick():
                return self._tick(now)
            case Stop():
                return self._end(Outcome(event.state, event.reason + self._waiting()))
            case Joined():
                return self._join(event, now)
        entry = self._roll.by_peer(event.peer)
        return [] if entry is None else self._hear(entry, event, now)

    def _hear(self, entry: Entry, event: Event, now: float) -> list[Effect]:
        """What somebody says who has joined."""
        match event:
            case Reported():
                return self._report(entry, event, now)
            case Keeping():
                entry.keeps = True
            case Failed():
                raise Fault(f"{entry.seat}: {event.error}", entry.seat)
            case Outdated():
                return [self._rollback(entry)]
            case HandedIn() | Waiting() | Retreating() | Copied() | Finished() if self._running:
                return self._work(entry, event, now)
        return []

    def _work(
        self, entry: Entry, event: HandedIn | Waiting | Retreating | Copied | Finished, now: float
    ) -> list[Effect]:
        """What somebody says in the course of a generation."""
        match event:
            case Copied():
                return self._marks.copied(entry.seat, event.clock, event.error, len(self._roll.entries()), now)
            case Finished():
                return self._finish(entry, event)
            case Retreating():
                return self._go_back(event.reason, now)
            case HandedIn() if entry.seat.role == "worker":
                return self._hand_in(entry, event)
            case Waiting() if entry.seat.role == "worker":
                self._assembly.wait(entry.seat.index, event, now)
        return []

    def seat_of(self, peer: str) -> Seat | None:
        """The seat of one who has joined."""
        entry = self._roll.by_peer(peer)
        return None if entry is None else entry.seat

    def peers(self) -> list[str]:
        """Those who have joined and not been let go: they are to hear that the coordinator lives."""
        return [e.peer for e in self._roll.entries() if not e.finished or e.seat.role != "worker"]

    def here(self) -> list[Entry]:
        """Those who have joined."""
        return self._roll.entries()

    def missing(self) -> list[Seat]:
        """The seats that nobody has asked for yet."""
        return self._roll.missing()

    def check(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        self._roll.check()
        self._assembly.check()
        assert self._retries.spent <= self._recovery.retries
        if self.outcome is not None:
            done = self._running and all(entry.finished for entry in self._roll.entries("worker"))
            assert done if self.outcome.ok else self.outcome.message

    # ---- who takes part

    def _join(self, event: Joined, now: float) -> list[Effect]:
        known = self._roll.by_peer(event.peer)
        if known is not None and event.generation != self.generation:  # said before it heard of the rollback
            return [self._rollback(known)]
        refusal = self._roll.join(Entry(event.seat, event.peer, event.address, event.name, event.host, event.plan))
        if refusal:
            return [self._abort(event.peer, refusal)]
        if self._running:
            self._roll.settle()
            entry = self._roll.by_peer(event.peer)
            return [] if entry is None or entry.seat.index == ANY else [self._roster(entry)]
        if not self._roll.complete():
            return []
        self._roll.settle(self._homes)
        if (odd := self._roll.odd()) is not None:
            raise Fault(differing(*odd), odd[0].seat)
        self._running = True
        self._roll.begin()
        self._marks.begin(now)
        return [self._roster(entry) for entry in self._roll.entries() if entry.seat.index != ANY]

    def _roster(self, entry: Entry) -> Send:
        """Where the receiver begins: with all others, or in the place of one that died."""
        incarnation = self._roll.incarnation(entry.seat)
        going = self._running and incarnation > 0
        roster = Roster(
            generation=self.generation,
            clock=self._point.clock,
            servers=tuple(server.address for server in self._roll.entries("server")),
            index=entry.seat.index,
            incarnation=incarnation if going else 0,
            going=going,
            rounds=self._assembly.rounds(entry.seat.index) if going else 0,
            checkpoint=self._point.checkpoint,
        )
        return Send(entry.peer, roster)

    def _exit(self, event: Exited, now: float) -> list[Effect]:
        entry = self._roll.by_seat(event.seat)
        if self._roll.has_left(event.who):
            return []
        if entry is None or (not entry.finished and event.who in entry.name):
            self._exits.append((now, event))
        return []

    def _reach(self, event: Unreachable | Reachable, now: float) -> list[Effect]:
        entry = self._roll.by_peer(event.peer)
        if entry is not None:
            gone = isinstance(event, Unreachable)
            entry.unreachable_since = min(entry.unreachable_since, now) if gone else math.inf
        return []

    def _tick(self, now: float) -> list[Effect]:
        if self._exits:
            since, first = self._exits[0]
            if now - since < LAST_WORDS:
                return []
            del self._exits[0]
            return self._lose(first, f"{first.seat} {first.how}", now)
        if (silent := self._roll.silent(now, self._silence)) is not None:
            return self._fall_silent(silent, now)
        self._assembly.refuse_knot(self._silence, now)
        overdue = self._roll.overdue(self._join_by, self._recovery.within, now)
        if overdue:
            start = "go on" if self._restarts else "start"
            raise Fault(f"the run could not {start}: {spoken(overdue)} did not join in time", overdue[0])
        return self._mark(now)

    # ---- what workers do together

    def _hand_in(self, entry: Entry, event: HandedIn) -> list[Effect]:
        told = self._assembly.hand_in(entry.seat.index, event, self._finished())
        if not told:
            return []
        parts = tuple(self._assembly.parts(event.sequence))
        gathered = Gathered(generation=self.generation, seq=event.sequence, arrays=parts)
        there = [self._roll.by_seat(Seat("worker", worker)) for worker in told]
        return [Send(worker.peer, gathered) for worker in there if worker is not None]

    def _report(self, entry: Entry, event: Reported, now: float) -> list[Effect]:
        if entry.seat.role == "worker" and entry.here:
            self._assembly.at(entry.seat.index, event.clock)
            self._retries.seen(min(self._assembly.clocks), now)
        return [Report(entry.seat.index, event.numbers, entry.seat.role)] if event.numbers else []

    def _finish(self, entry: Entry, event: Finished) -> list[Effect]:
        """A server is let go with the last worker: what it said last is lost if its connection closes too early."""
        entry.finished = True
        if entry.seat == Seat("worker", 0):
            self._result = event.result
        ack = Ack(generation=self.generation)
        if len(self._finished()) == self._workers:
            servers = [server.peer for server in self._roll.entries("server") if server.finished]
            return [*(Send(peer, ack) for peer in dict.fromkeys([entry.peer, *servers])), *self._succeed()]
        if entry.seat.role != "worker":
            return []
        self._assembly.refuse_deserted(self._finished())
        return [Send(entry.peer, ack)]

    def _finished(self) -> list[int]:
        return [entry.seat.index for entry in self._roll.entries("worker") if entry.finished]

    # ---- deaths

    def _fall_silent(self, entry: Entry, now: float) -> list[Effect]:
        if entry.seat.index == ANY:  # nobody waits for it
            self._roll.drop(entry)
            return []
        loss = Exited(entry.seat, f"({entry.name}) was silent for {self._silence:g} s")
        return self._lose(loss, f"{loss.seat} {loss.how}", now)

    def _lose(self, loss: Exited, said: str, now: float) -> list[Effect]:
        """One process is gone: who replaces it, and whether the others have to go back."""
        entry = self._roll.by_seat(loss.seat)
        if entry is not None and (entry.finished or loss.who not in entry.name):
            return []
        self._refuse(loss, said, now)
        self._restarts += 1
        if self._running and not self._replaceable(loss.seat):
            return self._go_back(said, now, loss.seat)
        return [*self._marks.abandon(), Say(f"{said}; another takes its place"), *self._refill(loss.seat, now)]

    def _refuse(self, loss: Exited, said: str, now: float) -> None:
        """Raise Fault for a death that the run is not to be brought back from."""
        if loss.cause == "hopeless" or self._recovery.retries == 0:
            raise Fault(said, loss.seat)
        if loss.cause == "died" and not self._retries.allow(min(self._assembly.clocks), now):
            raise Fault(f"{said}; {self._retries.spent} restarts brought the run no further", loss.seat)

    def _replaceable(self, seat: Seat) -> bool:
        """Whether another process can go on after the last clock of the one that had the seat."""
        entry = self._roll.by_seat(seat)
        keeps = entry is not None and entry.keeps
        return seat.role == "worker" and not keeps and self._assembly.clocks[seat.index] < FOREVER

    def _refill(self, seat: Seat, now: float) -> list[Effect]:
        self._roll.vacate(seat, now)
        self._roll.settle()
        taken = self._roll.by_seat(seat)
        seated: list[Effect] = [] if taken is None or not self._running else [self._roster(taken)]
        return [Replace(seat), *seated]

    def _go_back(self, reason: str, now: float, *gone: Seat) -> list[Effect]:
        """A new generation: who lives joins again, who is gone is replaced."""
        dead = {*gone, *(Seat("worker", worker) for worker in self._finished())}
        dead |= {loss.seat for _, loss in self._exits}
        self._exits.clear()
        abandoned = self._marks.abandon()
        self.generation += 1
        self._running, self._back, self._result = False, reason, None
        self._assembly = Assembly(self._workers, self._point.clock)
        self._roll.turn()
        refilled = [effect for seat in sorted(dead) for effect in self._refill(seat, now)]
        told = [self._rollback(entry) for entry in self._roll.entries() if not entry.here]
        return [*abandoned, Setback(self.generation, self._point.clock, reason), *told, *refilled]

    def _rollback(self, entry: Entry) -> Send:
        return Send(entry.peer, Rollback(generation=self.generation, reason=self._back))

    # ---- checkpoints

    def _mark(self, now: float) -> list[Effect]:
        clocks = self._assembly.clocks
        if not self._running or self._roll.missing() or max(clocks) >= FOREVER:
            return []
        mark = self._marks.tick(max(clocks), self.generation, now)
        there = [entry for entry in self._roll.entries() if entry.seat.index != ANY]
        return [] if mark is None else [Send(entry.peer, mark) for entry in there]

    def _commit(self, event: Committed) -> list[Effect]:
        if event.error:
            return [Say(f"no checkpoint at clock {event.clock}: {event.error}")]
        if event.clock >= self._point.clock:
            self._point = Point(self.generation, event.clock, event.url)
        return []

    # ---- the end

    def _waiting(self) -> str:
        if missing := self._roll.missing():
            return f" ({spoken(missing)} had not joined)"
        awaited = self._assembly.waited_for()
        return f" (the others waited for {spoken(awaited)})" if awaited else ""

    def _abort(self, peer: str, reason: str) -> Send:
        return Send(peer, Abort(generation=self.generation, reason=reason))

    def _succeed(self) -> list[Effect]:
        restarts = {"restarts": self._restarts} if self._restarts else {}
        return self._end(Outcome("succeeded", result={**(self._result or {}), **restarts} or self._result))

    def _end(self, outcome: Outcome) -> list[Effect]:
        """After a failure everybody is told."""
        self.outcome = outcome
        told = [] if outcome.ok else self.peers()
        return [*self._marks.abandon(), *(self._abort(peer, outcome.message) for peer in told), End(outcome)]

    def _remind(self, event: Event, outcome: Outcome) -> list[Effect]:
        """Who still speaks hasn't heard that the run is over."""
        if not isinstance(event, Joined | HandedIn | Finished | Failed | Retreating | Outdated):
            return []
        if not outcome.ok:
            return [self._abort(event.peer, outcome.message)]
        if isinstance(event, Finished):
            return [Send(event.peer, Ack(generation=self.generation))]
        return [self._abort(event.peer, "the run has ended")] if isinstance(event, Joined | Outdated) else []


def differing(odd: Entry, usual: Entry) -> str:
    """What two processes that should understand the job alike don't."""
    lines = zip_longest(odd.plan.splitlines(), usual.plan.splitlines(), fillvalue="nothing")
    one, other = next((a, b) for a, b in lines if a != b)
    return (
        f"{odd} understands the job otherwise than {usual.seat}: {one} instead of {other}. An app's tables must depend "
        f"on its config and the schema alone, and its code be the same on every host"
    )
