"""The coordinator: knows who takes part in a run, lets workers meet, brings it back after a death, ends it (pure).

event        while a generation joins       while it runs                        when over
Joined       seat it, or refuse; all are    who takes a dead one's place: the    say so
             here: the roster, or failure   roster; others again, or refuse
             if plans differ
HandedIn     -                              complete: everybody's parts          say so
Claiming     -                              a split of the data, or none left    -
Waiting      -                              note it                              -
Reported     pass on, note its clock        pass on, note its clock              -
Keeping      note it                        note it: no other can replace it     -
Retreating   -                              a new generation                     -
Copied       -                              all have: the checkpoint is whole    -
Committed    the next generation's begin    the next generation's begin          -
Spoilt       back further                   -                                -
Finished     -                              acknowledge; the last worker's       acknowledge, or say so
                                            is the run's success
Failed       failure                        failure                              say so
Exited,      note; unless it finished, its seat is another's, within a running   -
silent       generation if nothing is lost by that, else in a new one; or failure
Outdated     the rollback again             the rollback again                   say so
Tick         too late, exited, silent       exited, silent, a mark is due, each  -
                                            waiting for the other: failure
Stop         the end                        the end, with a last checkpoint if     -
                                            that comes in time and nobody dies
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, final

from yarnml.comm.assembly import Fault
from yarnml.comm.effects import Effect, End, Report, Say, Send
from yarnml.comm.events import (
    Claiming,
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
    Spoilt,
    Stop,
    Tick,
    Unreachable,
    Waiting,
)
from yarnml.comm.outcome import Outcome
from yarnml.comm.ranks import Ranks
from yarnml.comm.recovery import NO_RECOVERY, Recovery
from yarnml.comm.roll import COMPILES, Entry, Homes
from yarnml.comm.seat import ANY, Seat, spoken
from yarnml.kernels import COMPILING
from yarnml.wire.message import Ack, Claimed, Gathered


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
        splits: Sequence[int] = (),
    ) -> None:
        """`roles`: how many of each; `silence`: seconds out of reach that count as death; `join_by`: on the clock.

        `homes`: for each worker, the hosts that it had best be on, where containers take any seat; `splits`: how many
        of the data's each worker begins with, where others may take them.
        """
        self._silence = silence
        self._join_by = join_by
        self._workers = roles["worker"]
        self._ranks = Ranks(roles, homes, recovery, splits)
        self._grace = recovery.grace
        self._stop: Stop | None = None  # why the run is to end,
        self._end_by = math.inf  # and when at last
        self._compiling = False  # somebody is, and it was said
        self._result: dict[str, Any] | None = None
        self.outcome: Outcome | None = None

    def handle(self, event: Event, now: float) -> list[Effect]:
        if self.outcome is not None:
            return self._remind(event, self.outcome)
        try:
            effects = self._live(event, now)
        except Fault as fault:
            return self._end(Outcome("failed", fault.message, fault.culprit))
        return effects if self.outcome is not None else [*effects, *self._wind_up(now)]

    def _live(self, event: Event, now: float) -> list[Effect]:
        match event:
            case Exited():
                self._ranks.exited(event, now)
                return []
            case Unreachable() | Reachable():
                return self._reach(event, now)
            case Committed():
                return self._ranks.committed(event)
            case Spoilt():
                return self._ranks.spoilt(event)
            case Tick():
                return self._tick(now)
            case Stop():
                return self._heed(event, now)
            case Joined():
                return self._ranks.join(event, now)
        entry = self._ranks.roll.by_peer(event.peer)
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
                return [self._ranks.rollback(entry)]
            case HandedIn() | Claiming() | Waiting() | Retreating() | Copied() | Finished() if self._ranks.running:
                return self._work(entry, event, now)
        return []

    def _work(
        self, entry: Entry, event: HandedIn | Claiming | Waiting | Retreating | Copied | Finished, now: float
    ) -> list[Effect]:
        """What somebody says in the course of a generation."""
        match event:
            case Copied():
                return self._ranks.copied(entry.seat, event, now)
            case Finished():
                return self._finish(entry, event)
            case Retreating():
                return self._ranks.go_back(event.reason, now)
            case HandedIn() if entry.seat.role == "worker":
                return self._hand_in(entry, event)
            case Claiming() if entry.seat.role == "worker":
                return self._claim(entry, event)
            case Waiting() if entry.seat.role == "worker":
                self._ranks.assembly.wait(entry.seat.index, event, now)
        return []

    @property
    def generation(self) -> int:
        """How often the run went back."""
        return self._ranks.generation

    @property
    def restarts(self) -> int:
        """How many deaths it was brought back from."""
        return self._ranks.restarts

    def seat_of(self, peer: str) -> Seat | None:
        """The seat of one who has joined."""
        entry = self._ranks.roll.by_peer(peer)
        return None if entry is None else entry.seat

    def peers(self) -> list[str]:
        """Those who have joined and not been let go: they are to hear that the coordinator lives."""
        return [e.peer for e in self.here() if not e.finished or e.seat.role != "worker"]

    def here(self) -> list[Entry]:
        """Those who have joined."""
        return self._ranks.roll.entries()

    def missing(self) -> list[Seat]:
        """The seats that nobody has asked for yet."""
        return self._ranks.roll.missing()

    def check(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        self._ranks.check()
        if self.outcome is not None:
            done = self._ranks.running and len(self._ranks.finished()) == self._workers
            assert done if self.outcome.ok else self.outcome.message

    def _reach(self, event: Unreachable | Reachable, now: float) -> list[Effect]:
        entry = self._ranks.roll.by_peer(event.peer)
        if entry is not None:
            gone = isinstance(event, Unreachable)
            entry.unreachable_since = min(entry.unreachable_since, now) if gone else math.inf
        return []

    def _tick(self, now: float) -> list[Effect]:
        if self._stop is not None and not self._ranks.keeping:
            return []  # who dies now is not replaced
        buried = self._ranks.bury(now)
        if buried is not None:
            return buried
        if (silent := self._ranks.roll.silent(now, self._silence)) is not None:
            return self._fall_silent(silent, now)
        self._ranks.assembly.refuse_knot(self._silence, now)
        self._ranks.refuse_late(self._join_by, now)
        return self._ranks.mark(now)

    def _fall_silent(self, entry: Entry, now: float) -> list[Effect]:
        if entry.seat.index == ANY:  # nobody waits for it
            self._ranks.roll.drop(entry)
            return []
        return self._ranks.lose(Exited(entry.seat, f"({entry.name}) was silent for {self._silence:g} s"), now)

    # ---- what workers say and do together

    def _hand_in(self, entry: Entry, event: HandedIn) -> list[Effect]:
        assembly = self._ranks.assembly
        told = assembly.hand_in(entry.seat.index, event, self._ranks.finished())
        if not told:
            return []
        parts = tuple(assembly.parts(event.sequence))
        gathered = Gathered(generation=self.generation, seq=event.sequence, arrays=parts)
        there = [self._ranks.roll.by_seat(Seat("worker", worker)) for worker in told]
        return [Send(worker.peer, gathered) for worker in there if worker is not None]

    def _claim(self, entry: Entry, event: Claiming) -> list[Effect]:
        split = self._ranks.assembly.claims.take(entry.seat.index, event.sequence, own=event.own)
        owner, number = split or (-1, -1)
        answer = Claimed(generation=self.generation, seq=event.sequence, owner=owner, number=number)
        return [Send(entry.peer, answer)]

    def _report(self, entry: Entry, event: Reported, now: float) -> list[Effect]:
        if COMPILES in event.numbers:
            told, self._compiling = self._compiling, True
            return [] if told else [Say(COMPILING)]
        if entry.seat.role == "worker" and entry.here:
            self._ranks.came(entry.seat.index, event.clock, now)
        return [Report(entry.seat.index, event.numbers, entry.seat.role)] if event.numbers else []

    def _finish(self, entry: Entry, event: Finished) -> list[Effect]:
        """A server is let go with the last worker: what it said last is lost if its connection closes too early."""
        entry.finished = True
        if entry.seat == Seat("worker", 0):
            self._result = event.result
        ack = Ack(generation=self.generation)
        if len(self._ranks.finished()) == self._workers:
            servers = [server.peer for server in self._ranks.roll.entries("server") if server.finished]
            return [*(Send(peer, ack) for peer in dict.fromkeys([entry.peer, *servers])), *self._succeed()]
        if entry.seat.role != "worker":
            return []
        self._ranks.assembly.refuse_deserted(self._ranks.finished())
        return [Send(entry.peer, ack)]

    # ---- the end

    def _heed(self, wish: Stop, now: float) -> list[Effect]:
        """The first wish stands; another may only hasten it."""
        begun = self._stop is not None
        if self._stop is None:
            self._stop, self._end_by = wish, now + self._grace
        if wish.at_once:
            return self._end(Outcome(self._stop.state, self._stop.reason + self._waiting()))
        return [] if begun else self._ranks.end(now)

    def _wind_up(self, now: float) -> list[Effect]:
        """The end of a run that is to end, once what it has done is kept or won't be."""
        stop = self._stop
        if stop is None or (self._ranks.keeping and now < self._end_by):
            return []
        late = f"; no last checkpoint came about within {self._grace:g} s" if self._ranks.keeping else ""
        waiting = "" if self._ranks.kept else self._waiting()
        return self._end(Outcome(stop.state, stop.reason + late + waiting))

    def _waiting(self) -> str:
        if missing := self.missing():
            return f" ({spoken(missing)} had not joined)"
        awaited = self._ranks.assembly.waited_for()
        return f" (the others waited for {spoken(awaited)})" if awaited else ""

    def _succeed(self) -> list[Effect]:
        if self._ranks.restarts:
            self._result = {**(self._result or {}), "restarts": self._ranks.restarts}
        return self._end(Outcome("succeeded", result=self._result))

    def _end(self, outcome: Outcome) -> list[Effect]:
        """After a failure everybody is told."""
        self.outcome = outcome
        told = [] if outcome.ok else [self._ranks.abort(peer, outcome.message) for peer in self.peers()]
        return [*self._ranks.abandon(), *told, End(outcome)]

    def _remind(self, event: Event, outcome: Outcome) -> list[Effect]:
        """Who still speaks hasn't heard that the run is over."""
        if not isinstance(event, Joined | HandedIn | Finished | Failed | Retreating | Outdated):
            return []
        if not outcome.ok:
            return [self._ranks.abort(event.peer, outcome.message)]
        if isinstance(event, Finished):
            return [Send(event.peer, Ack(generation=self.generation))]
        return [self._ranks.abort(event.peer, "the run has ended")] if isinstance(event, Joined | Outdated) else []
