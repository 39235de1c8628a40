"""The hub: the loop that runs a coordinator over a listener."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import Any, final

from yarnml.comm.coordinator import Coordinator
from yarnml.comm.effects import Effect, End, Report, Send
from yarnml.comm.events import (
    Claiming,
    Copied,
    Event,
    Failed,
    Finished,
    HandedIn,
    Joined,
    Keeping,
    Outdated,
    Reachable,
    Reported,
    Retreating,
    Tick,
    Unreachable,
    Waiting,
)
from yarnml.comm.outcome import Outcome
from yarnml.comm.seat import Seat
from yarnml.wire import message as m
from yarnml.wire.transport import Listener, Receipt, Status

TICK = 0.05  # seconds: how late a process's end, a kill or a deadline is seen
BEAT = 0.2  # seconds between beats
BLIND = 0.8  # seconds after which the transport sees that a peer has stopped


@final
class Hub:
    """Runs in a thread of the driver or in the scheduler's container, which is where reports go.

    Aliveness is the transport's: its own threads answer heartbeats, so that a worker that computes for a minute without
    a look at its channel lives, and one that was killed or stopped does not. A beat is how the hub asks.
    """

    def __init__(
        self,
        listener: Listener,
        coordinator: Coordinator,
        on_report: Callable[[Report], None],
        do: Callable[[Effect], None] = lambda _: None,
    ) -> None:
        """`do` is handed what else the coordinator wants done: processes replaced, checkpoints named."""
        self._listener = listener
        self._coordinator = coordinator
        self._on_report = on_report
        self._do_else = do
        self._beats: dict[str, Receipt] = {}  # the last one to each peer
        self._beat_due = 0.0
        self.refused = 0  # messages that weren't from whom they say

    def run(self, watch: Callable[[], Iterable[Event]]) -> Outcome:
        """Until the run is over. `watch` is asked each tick what else has happened: exits, a wish to stop."""
        outcome = None
        while outcome is None:
            outcome = self._hear()
            around = () if outcome else [*watch(), *self._beat(), Tick()]
            for event in around:
                outcome = outcome or self._handle(event)
        return outcome

    def see_off(self, until: Callable[[], bool], seconds: float) -> None:
        """Tell those who still ask how the run ended, until nobody can ask or `seconds` have passed."""
        end = time.monotonic() + seconds
        while not until() and time.monotonic() < end:
            self._hear()

    def _hear(self) -> Outcome | None:
        """Heed what peers say for one tick."""
        end = time.monotonic() + TICK
        outcome = None
        while outcome is None and (left := end - time.monotonic()) > 0:
            received = self._listener.recv(left)
            event = None if received is None else self._heed(*received)
            outcome = None if event is None else self._handle(event)
        return outcome

    def _heed(self, peer: str, message: m.Message) -> Event | None:
        """What a message means, if its peer may send it: anybody can connect and write any seat into a header."""
        seat = self._coordinator.seat_of(peer)
        if isinstance(message, m.Join):
            asked = Seat(message.role, message.sender)
            known = peer.startswith(asked.slug + ".") or seat == asked
        else:
            known = seat is not None and seat.index == message.sender
        event = self._meant(peer, message) if known else None
        self.refused += event is None
        return event

    def _meant(self, peer: str, message: m.Message) -> Event | None:
        late = message.generation != self._coordinator.generation and not isinstance(message, m.Join)
        return Outdated(peer) if late else event_of(peer, message)

    def _handle(self, event: Event) -> Outcome | None:
        now = time.monotonic()
        return self._do(self._coordinator.handle(event, now - BLIND if isinstance(event, Unreachable) else now))

    def _do(self, effects: Iterable[Effect]) -> Outcome | None:
        outcome = None
        for effect in effects:
            match effect:
                case Send():
                    self._listener.send(effect.peer, effect.message)
                case Report():
                    self._on_report(effect)
                case End():
                    outcome = effect.outcome
                case _:
                    self._do_else(effect)
        return outcome

    def _beat(self) -> list[Event]:
        """One beat to each peer, and what the last ones tell. A peer that reads slowly gets no more of them."""
        now = time.monotonic()
        if now < self._beat_due:
            return []
        self._beat_due = now + BEAT
        events: list[Event] = []
        beat = m.Beat(generation=self._coordinator.generation)
        for peer in self._coordinator.peers():
            last = self._beats.get(peer)
            if last is None or last.status is not Status.WAITS:
                self._beats[peer] = last = self._listener.send(peer, beat)
            events.append(Unreachable(peer) if last.status is Status.GONE else Reachable(peer))
        return events


def event_of(peer: str, message: m.Message) -> Event | None:
    """What a message means to the coordinator; None if it is none of its kinds or makes no sense."""
    match message:
        case m.Join():
            seat = Seat(message.role, message.sender)
            about = message.address, message.name, message.host, message.plan
            return Joined(peer, seat, *about, message.generation)
        case m.Gather():
            return HandedIn(peer, message.seq, message.array, message.clock)
        case m.Claim():
            return Claiming(peer, message.seq, message.own)
        case m.Wait():
            return Waiting(peer, message.what, message.clock, message.read)
        case m.Report():
            numbers = _object(message.numbers)
            plain = numbers is not None and all(isinstance(value, int | float) for value in numbers.values())
            return Reported(peer, numbers or {}, message.clock) if plain else None
        case m.Finish():
            return Finished(peer, _object(message.result))
        case m.Fail():
            return Failed(peer, message.error)
    return _recovery_of(peer, message)


def _recovery_of(peer: str, message: m.Message) -> Event | None:
    """What serves to bring the run back."""
    match message:
        case m.Keeps():
            return Keeping(peer)
        case m.Retreat():
            return Retreating(peer, message.reason)
        case m.Marked():
            return Copied(peer, message.clock, message.error)
    return None


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
