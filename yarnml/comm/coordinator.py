"""The coordinator: knows who takes part in a run, lets workers meet, and decides how the run ends (pure).

event        while joining               while running                   when over
Joined       seat it, or refuse;         answer again, or refuse         say so
             all are here: the roster,
             or failure if plans differ
HandedIn     -                           complete: everybody's parts     say so
Waiting      -                           note it                         -
Reported     pass on                     pass on                         -
Finished     acknowledge                 acknowledge; the last worker's  acknowledge, or say so
                                         is the run's success
Failed       failure                     failure                         say so
Exited       note, unless it finished    note, unless it finished        -
Unreachable  note since when             note since when                 -
Tick         too late, exited, silent    exited, silent, each waiting    -
                                         for the other: failure
Stop         the end                     the end                         -
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, assert_never, final

from yarnml.comm.company import FOREVER
from yarnml.comm.events import (
    Effect,
    End,
    Event,
    Exited,
    Failed,
    Finished,
    HandedIn,
    Joined,
    Reachable,
    Report,
    Reported,
    Send,
    Stop,
    Tick,
    Unreachable,
    Waiting,
)
from yarnml.comm.meeting import Meeting
from yarnml.comm.outcome import Outcome
from yarnml.comm.roll import Entry, Homes, Roll
from yarnml.comm.seat import Seat, spoken
from yarnml.comm.waits import Waits
from yarnml.wire.message import Abort, Ack, Gathered, Roster

LAST_WORDS = 0.5  # seconds in which what a process said before it ended may still arrive, and tells more

EQUALLY = "All workers must call sum and gather equally often, and end equally many clocks or return"


@final
class Coordinator:
    """`handle` takes what happened and when, in seconds on any one clock, and returns what is to be done."""

    def __init__(self, roles: Mapping[str, int], *, silence: float, join_by: float, homes: Homes = ()) -> None:
        """`roles`: how many of each; `silence`: seconds out of reach that count as death; `join_by`: on the clock.

        `homes`: for each worker, the hosts that it had best be on, where containers take any seat.
        """
        self._silence = silence
        self._join_by = join_by
        self._homes = homes
        self._roll = Roll(roles)
        self._meeting = Meeting(roles["worker"])
        self._waits = Waits(roles["worker"])
        self._opened = (-1, 0, False)  # the newest gather, the first worker in it, and whether its work has returned
        self._exits: list[tuple[float, Exited]] = []
        self._result: dict[str, Any] | None = None
        self.outcome: Outcome | None = None

    def handle(self, event: Event, now: float) -> list[Effect]:
        return self._live(event, now) if self.outcome is None else self._remind(event, self.outcome)

    def _live(self, event: Event, now: float) -> list[Effect]:
        if isinstance(event, Exited | Unreachable | Reachable | Tick | Stop):
            return self._see(event, now)
        match event:
            case Joined():
                return self._join(event)
            case HandedIn():
                return self._hand_in(event)
            case Waiting():
                return self._wait(event, now)
            case Reported():
                return self._report(event)
            case Finished():
                return self._finish(event)
            case Failed():
                return self._fail(event)
        assert_never(event)

    def _see(self, event: Exited | Unreachable | Reachable | Tick | Stop, now: float) -> list[Effect]:
        """What no member has said."""
        match event:
            case Exited():
                return self._exit(event, now)
            case Unreachable() | Reachable():
                return self._reach(event, now)
            case Tick():
                return self._tick(now)
            case Stop():
                return self._end(Outcome(event.state, event.reason + self._waiting()))
        assert_never(event)

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
        self._meeting.check()
        if self.outcome is not None:
            done = not self._roll.missing() and all(entry.finished for entry in self._roll.entries("worker"))
            assert done if self.outcome.ok else self.outcome.message

    def _join(self, event: Joined) -> list[Effect]:
        again = not self._roll.missing()
        refusal = self._roll.join(Entry(event.seat, event.peer, event.address, event.name, event.host, event.plan))
        if refusal:
            return [Send(event.peer, Abort(reason=refusal))]
        if self._roll.missing():
            return []
        self._roll.settle(self._homes)
        if (odd := self._roll.odd()) is not None:
            return self._failed(differing(*odd), odd[0].seat)
        servers = tuple(entry.address for entry in self._roll.entries("server"))
        told = [entry for entry in self._roll.entries() if not again or entry.peer == event.peer]
        return [Send(entry.peer, Roster(servers=servers, index=entry.seat.index)) for entry in told]

    def _hand_in(self, event: HandedIn) -> list[Effect]:
        entry = self._roll.by_peer(event.peer)
        if entry is None or entry.seat.role != "worker" or self._roll.missing():
            return []
        if (mixed := self._mixed(entry.seat.index, event)) is not None:
            return self._failed(*mixed)
        self._waits.at(entry.seat.index, event.clock)
        self._waits.says(entry.seat.index, "", 0, 0.0)
        told = self._meeting.hand_in(entry.seat.index, event.sequence, event.part)
        if not told:
            return self._deserted()
        gathered = Gathered(seq=event.sequence, arrays=tuple(self._meeting.parts(event.sequence)))
        workers = self._roll.entries("worker")
        return [Send(workers[worker].peer, gathered) for worker in told]

    def _mixed(self, worker: int, event: HandedIn) -> tuple[str, Seat] | None:
        """A worker whose work has returned meets none that is still at work: each would get a stranger's numbers."""
        returned = event.clock >= FOREVER
        if event.sequence > self._opened[0]:
            self._opened = (event.sequence, worker, returned)
        sequence, other, did = self._opened
        if event.sequence != sequence or returned == did:
            return None
        gone, busy = (worker, other) if returned else (other, worker)
        text = f"the work of worker {gone} has returned, but worker {busy} still calls sum or gather. {EQUALLY}"
        return text, Seat("worker", busy)

    def _wait(self, event: Waiting, now: float) -> list[Effect]:
        entry = self._roll.by_peer(event.peer)
        if entry is not None and entry.seat.role == "worker" and not self._roll.missing():
            self._waits.at(entry.seat.index, event.clock)
            self._waits.says(entry.seat.index, event.what, event.until, now)
        return []

    def _report(self, event: Reported) -> list[Effect]:
        entry = self._roll.by_peer(event.peer)
        return [] if entry is None else [Report(entry.seat.index, event.numbers, entry.seat.role)]

    def _finish(self, event: Finished) -> list[Effect]:
        """A server is let go with the last worker: what it said last is lost if its connection closes too early."""
        entry = self._roll.by_peer(event.peer)
        if entry is None or self._roll.missing():
            return []
        entry.finished = True
        if entry.seat == Seat("worker", 0):
            self._result = event.result
        if all(worker.finished for worker in self._roll.entries("worker")):
            servers = [
                server.peer for server in self._roll.entries() if server.finished and server.seat.role != "worker"
            ]
            let_go = dict.fromkeys([event.peer, *servers])
            return [*(Send(peer, Ack()) for peer in let_go), *self._end(Outcome("succeeded", result=self._result))]
        return [Send(event.peer, Ack()), *self._deserted()] if entry.seat.role == "worker" else []

    def _fail(self, event: Failed) -> list[Effect]:
        entry = self._roll.by_peer(event.peer)
        return [] if entry is None else self._failed(f"{entry.seat}: {event.error}", entry.seat)

    def _exit(self, event: Exited, now: float) -> list[Effect]:
        entry = self._roll.by_seat(event.seat)
        if entry is None or not entry.finished:
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
            return self._failed(f"{first.seat} {first.how}", first.seat) if now - since >= LAST_WORDS else []
        silent = self._roll.silent(now, self._silence)
        if silent is not None:
            return self._failed(f"{silent} was silent for {self._silence:g} s", silent.seat)
        seconds, knot = self._waits.knotted(self._meeting, now)
        if knot and seconds >= self._silence:
            return self._end(Outcome("failed", f"the workers wait for each other: {knot}. {EQUALLY}"))
        missing = self._roll.missing()
        if missing and now >= self._join_by:
            return self._failed(f"the run could not start: {spoken(missing)} did not join in time", missing[0])
        return []

    def _deserted(self) -> list[Effect]:
        """A worker that waits for one that has finished would wait for ever."""
        gone = [entry.seat for entry in self._awaited() if entry.finished]
        if not gone:
            return []
        return self._failed(f"{spoken(gone)} finished while others wait in a gather or sum. {EQUALLY}", gone[0])

    def _awaited(self) -> list[Entry]:
        workers = self._roll.entries("worker")
        return [workers[worker] for worker in self._meeting.waited_for()]

    def _waiting(self) -> str:
        if missing := self._roll.missing():
            return f" ({spoken(missing)} had not joined)"
        awaited = [entry.seat for entry in self._awaited()]
        return f" (the others waited for {spoken(awaited)})" if awaited else ""

    def _failed(self, message: str, culprit: Seat) -> list[Effect]:
        return self._end(Outcome("failed", message, culprit))

    def _end(self, outcome: Outcome) -> list[Effect]:
        """After a failure everybody is told."""
        self.outcome = outcome
        told = [] if outcome.ok else self.peers()
        return [*(Send(peer, Abort(reason=outcome.message)) for peer in told), End(outcome)]

    def _remind(self, event: Event, outcome: Outcome) -> list[Effect]:
        """Who still speaks hasn't heard that the run is over."""
        if not isinstance(event, Joined | HandedIn | Finished | Failed):
            return []
        if outcome.ok:
            return [Send(event.peer, Ack())] if isinstance(event, Finished) else []
        return [Send(event.peer, Abort(reason=outcome.message))]


def differing(odd: Entry, usual: Entry) -> str:
    """What two processes that should understand the job alike don't."""
    lines = zip_longest(odd.plan.splitlines(), usual.plan.splitlines(), fillvalue="nothing")
    one, other = next((a, b) for a, b in lines if a != b)
    return (
        f"{odd} understands the job otherwise than {usual.seat}: {one} instead of {other}. An app's tables must depend "
        f"on its config and the schema alone, and its code be the same on every host"
    )
