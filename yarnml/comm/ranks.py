"""Ranks: who takes part in a run's generation, who takes a dead one's place, and when all go back to begin anew (pure).

a process died                        what follows
before all had joined                 another takes its seat
a worker that kept nothing            another goes on after its last clock; nobody else hears of it
any other, or that can't be           a new generation: all who live join again, and begin at the last checkpoint
too often at the same place           Fault
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import final

from yarnml.comm.assembly import Assembly, Fault
from yarnml.comm.company import FOREVER
from yarnml.comm.effects import Effect, Replace, Say, Send, Setback
from yarnml.comm.events import Committed, Copied, Exited, Joined, Spoilt
from yarnml.comm.marks import Marks
from yarnml.comm.recovery import Point, Recovery
from yarnml.comm.retries import Retries
from yarnml.comm.roll import Entry, Homes, Roll
from yarnml.comm.seat import ANY, Seat, spoken
from yarnml.wire.message import Abort, Rollback, Roster

LAST_WORDS = 0.5  # seconds in which what a process said before it ended may still arrive, and tells more


@final
class Ranks:
    """Methods return what is to be done, and raise Fault where the run can't go on. Times are the caller's."""

    def __init__(self, roles: Mapping[str, int], homes: Homes, recovery: Recovery, splits: Sequence[int] = ()) -> None:
        self.roll = Roll(roles, spares=recovery.retries > 0)
        self.generation = recovery.point.generation
        self.running = False  # all have joined this generation
        self.restarts = 0
        self._roles, self._homes, self._recovery, self._splits = roles, homes, recovery, splits
        self._points = [recovery.point]  # where generations may begin; the next one at the last
        self.assembly = self._assembled()
        self._retries = Retries(recovery.retries)
        self._marks = Marks(recovery.checkpoints, recovery.every)
        self._exits: list[tuple[float, Exited]] = []
        self._back = ""  # why this generation began

    def finished(self) -> list[int]:
        """Workers that have done all."""
        return [entry.seat.index for entry in self.roll.entries("worker") if entry.finished]

    def check(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        self.roll.check()
        self.assembly.check()
        assert self._retries.spent <= self._recovery.retries

    # ---- joining

    def join(self, event: Joined, now: float) -> list[Effect]:
        known = self.roll.by_peer(event.peer)
        if known is not None and event.generation != self.generation:  # said before it heard of the rollback
            return [self.rollback(known)]
        refusal = self.roll.join(Entry(event.seat, event.peer, event.address, event.name, event.host, event.plan))
        if refusal:
            return [self.abort(event.peer, refusal)]
        if self.running:
            self.roll.settle()
            entry = self.roll.by_peer(event.peer)
            return [] if entry is None or entry.seat.index == ANY else [self._roster(entry)]
        return self._begin(now) if self.roll.complete() else []

    def _begin(self, now: float) -> list[Effect]:
        self.roll.settle(self._homes)
        if (odd := self.roll.odd()) is not None:
            raise Fault(differing(*odd), odd[0].seat)
        self.running = True
        self.roll.begin()
        self._marks.begin(now)
        return [self._roster(entry) for entry in self.roll.seated()]

    def refuse_late(self, first: float, now: float) -> None:
        """Somebody had to join: by `first` in the beginning."""
        overdue = self.roll.overdue(first, self._recovery.within, now)
        if overdue:
            what = "go on" if self.restarts else "start"
            raise Fault(f"the run could not {what}: {spoken(overdue)} did not join in time", overdue[0])

    def _roster(self, entry: Entry) -> Send:
        """Where the receiver begins: with all others, or in the place of one that died."""
        incarnation = self.roll.incarnation(entry.seat)
        going = self.running and incarnation > 0
        roster = Roster(
            generation=self.generation,
            clock=self._point.clock,
            servers=tuple(server.address for server in self.roll.entries("server")),
            index=entry.seat.index,
            incarnation=incarnation if going else 0,
            going=going,
            rounds=self.assembly.rounds(entry.seat.index) if going else 0,
            checkpoint=self._point.checkpoint,
        )
        return Send(entry.peer, roster)

    def rollback(self, entry: Entry) -> Send:
        """To who has still to hear of it."""
        return Send(entry.peer, Rollback(generation=self.generation, reason=self._back))

    def abort(self, peer: str, reason: str) -> Send:
        return Send(peer, Abort(generation=self.generation, reason=reason))

    # ---- deaths

    def exited(self, event: Exited, now: float) -> None:
        """Note it: what the process has said may still arrive."""
        if not self.roll.has_left(event.who) and self._is_loss(event):
            self._exits.append((now, event))

    def bury(self, now: float) -> list[Effect] | None:
        """What follows from the first exit, once its last words had their time; None if there was none."""
        self._exits = [(since, loss) for since, loss in self._exits if self._is_loss(loss)]  # its last word was: done
        if not self._exits:
            return None
        since, first = self._exits[0]
        if now - since < LAST_WORDS:
            return []
        del self._exits[0]
        return self.lose(first, now)

    def _is_loss(self, event: Exited) -> bool:
        """Whether it is of the one that has the seat, and had still to do."""
        entry = self.roll.by_seat(event.seat)
        return entry is None or (not entry.finished and event.who in entry.name)

    def lose(self, loss: Exited, now: float) -> list[Effect]:
        """One process is gone: who replaces it, and whether the others have to go back."""
        said = f"{loss.seat} {loss.how}"
        self._refuse(loss, said, now)
        self.restarts += 1
        if self.running and not self._replaceable(loss.seat):
            return self.go_back(said, now, loss.seat)
        return [*self._marks.abandon(), Say(f"{said}; another takes its place"), *self._refill(loss.seat, now)]

    def came(self, worker: int, clock: int, now: float) -> None:
        """A worker says its clock."""
        self.assembly.at(worker, clock)
        self._retries.seen(min(self.assembly.clocks), now)

    def _refuse(self, loss: Exited, said: str, now: float) -> None:
        """Raise Fault for a death that the run is not to be brought back from."""
        if loss.cause == "hopeless" or self._recovery.retries == 0:
            raise Fault(said, loss.seat)
        if loss.cause == "died" and not self._retries.allow(min(self.assembly.clocks), now):
            raise Fault(f"{said}; {self._retries.spent} restarts brought the run no further", loss.seat)

    def _replaceable(self, seat: Seat) -> bool:
        """Whether another process can go on after the last clock of the one that had the seat."""
        entry = self.roll.by_seat(seat)
        keeps = entry is not None and entry.keeps
        return seat.role == "worker" and not keeps and self.assembly.clocks[seat.index] < FOREVER

    def _assembled(self) -> Assembly:
        return Assembly(self._roles["worker"], self._point.clock, self._splits)

    def _refill(self, seat: Seat, now: float) -> list[Effect]:
        if seat.role == "worker" and not self.assembly.rounds(seat.index):  # what it has told the others stands
            self.assembly.claims.give_back(seat.index)
        self.roll.vacate(seat, now)
        self.roll.settle()
        taken = self.roll.by_seat(seat)
        seated: list[Effect] = [] if taken is None or not self.running else [self._roster(taken)]
        return [Replace(seat), *seated]

    def go_back(self, reason: str, now: float, *gone: Seat) -> list[Effect]:
        """A new generation: who lives joins again, who is gone is replaced."""
        dead = {*gone, *(Seat("worker", worker) for worker in self.finished())}
        dead |= {loss.seat for _, loss in self._exits if self._is_loss(loss)}
        self._exits.clear()
        abandoned = self._marks.abandon()
        self.generation += 1
        self.running, self._back = False, reason
        self.assembly = self._assembled()
        self.roll.turn()
        refilled = [effect for seat in sorted(dead) for effect in self._refill(seat, now)]
        told = [self.rollback(entry) for entry in self.roll.entries() if not entry.here]
        return [*abandoned, self._setback(), *told, *refilled]

    def spoilt(self, event: Spoilt) -> list[Effect]:
        """Nobody has begun there yet: back to what there was before."""
        if self.running or event.url != self._point.checkpoint:
            return []
        del self._points[-1]
        self.assembly = self._assembled()
        return [Say(f"back further: {event.reason}"), self._setback()]

    def _setback(self) -> Setback:
        own = self._point.checkpoint if len(self._points) > 1 else ""  # instead of the first there is none
        return Setback(self.generation, self._point.clock, self._back, own)

    @property
    def _point(self) -> Point:
        return self._points[-1]

    # ---- checkpoints

    def mark(self, now: float) -> list[Effect]:
        """Name the clock of the next checkpoint, if it is time for one."""
        clocks = self.assembly.clocks
        if not self.running or self.roll.missing() or max(clocks) >= FOREVER:
            return []
        mark = self._marks.tick(max(clocks), self.generation, now)
        return [] if mark is None else [Send(entry.peer, mark) for entry in self.roll.seated()]

    def copied(self, seat: Seat, event: Copied, now: float) -> list[Effect]:
        return self._marks.copied(seat, event.clock, event.error, sum(self._roles.values()), now)

    def end(self, now: float) -> list[Effect]:
        """The run is to end: a last checkpoint is taken first, as far as `keeping` says."""
        return self._marks.end(max(self.assembly.clocks), now)

    @property
    def kept(self) -> bool:
        """Whether the last checkpoint of a run that is to end stands."""
        return self._marks.kept

    @property
    def keeping(self) -> bool:
        """Whether what has been done since the last checkpoint may still be kept, by another, or by the run's end."""
        done = max(self.assembly.clocks) > self._point.clock
        lost = self.roll.missing() or any(self._is_loss(loss) for _, loss in self._exits)
        return self.running and done and not lost and not self._marks.never

    def committed(self, event: Committed) -> list[Effect]:
        self._marks.committed(event.clock, event.error)
        if event.error:
            return [Say(f"no checkpoint this time: {event.error}")]
        if event.clock >= self._point.clock:
            first, *later = self._points  # the last two are kept
            self._points = [first, *later[-1:], Point(self.generation, event.clock, event.url)]
        return []

    def abandon(self) -> list[Effect]:
        """The run is over: no checkpoint is completed any more."""
        return self._marks.abandon()


def differing(odd: Entry, usual: Entry) -> str:
    """What two processes that should understand the job alike don't."""
    lines = zip_longest(odd.plan.splitlines(), usual.plan.splitlines(), fillvalue="nothing")
    one, other = next((a, b) for a, b in lines if a != b)
    return (
        f"{odd} understands the job otherwise than {usual.seat}: {one} instead of {other}. An app's tables must depend "
        f"on its config and the schema alone, and its code be the same on every host"
    )
