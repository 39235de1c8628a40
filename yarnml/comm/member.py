"""A member: a process's link to the coordinator of its run."""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any, NoReturn, TypeVar, final

import numpy as np

from yarnml.comm.claims import Split
from yarnml.comm.company import FOREVER, LATE, OVER, Company
from yarnml.comm.plain import plain_numbers
from yarnml.comm.pulse import Pulse
from yarnml.comm.roll import COMPILES
from yarnml.comm.seat import Seat
from yarnml.errors import PeerLost, RolledBack, Stopped, UsageError
from yarnml.wire import message as m
from yarnml.wire.frames import DTYPES
from yarnml.wire.message import Message
from yarnml.wire.transport import Channel, Status, Transport

AGAIN = 1.0  # seconds after which a question is asked again: its answer may have gone down with a connection
AGAIN_AT_MOST = 30.0  # seconds: each time it waits twice as long, for what is asked may be large, and the answer late
REPORT_EVERY = 0.2  # seconds
SLICE = 0.2  # seconds of one look at the channel

VITALS_EVERY = 2.0  # seconds

M = TypeVar("M", bound=Message)
Vitals = Callable[[], dict[str, float]]


@final
@dataclass(frozen=True)
class Place:
    """Where a member runs, as a cluster calls it."""

    host: str = ""
    container: str = ""


HERE = Place()


@final
class Member(Company):
    """Belongs to one thread. Every wait ends when the coordinator says so, or has been silent for too long.

    All but `join` and `close` raise RolledBack when the run has gone back: then `join_again`.
    """

    def __init__(self, channel: Channel, asks: m.Join, pulse: Pulse) -> None:
        """Use `join`."""
        self.channel = channel
        self.seat = Seat(asks.role, asks.sender)
        self.roster = m.Roster(servers=())
        self._asks = asks
        self._pulse = pulse
        self._abort: str | None = None
        self._joining = False
        self._generation = 0
        self._newer = 0  # the newest generation that was heard of
        self._back = ""  # why it began
        self._rounds = self._claims = 0
        self._keeps = False
        self._marked: SimpleQueue[m.Marked] = SimpleQueue()
        self._numbers: dict[str, float] = {}
        self._reported = 0.0
        self._clock_said = 0
        self._thread = threading.get_ident()
        self._compiles = False  # and hasn't said it
        self._vitals: Vitals | None = None
        self._vital = 0.0

    def tell(self, vitals: Vitals) -> None:
        """From now on report what `vitals` returns, such as the memory used, every 2 s or as often as is checked."""
        self._vitals = vitals

    @classmethod
    def join(
        cls,
        transport: Transport,
        coordinator: str,
        seat: Seat,
        *,
        address: str,
        silence: float,
        place: Place = HERE,
        plan: str = "",
    ) -> Member:
        """Take a seat (any, if its index is ANY) and wait until all others have, as long as the coordinator allows.

        `address`: where this process listens, "" if it doesn't; `silence`: seconds without a sign of the coordinator
        after which it is given up; `plan`: how the job is understood here, which must be as everywhere. Raises
        `Stopped` if it refuses or ends the run, `PeerLost` if it is silent.
        """
        host = place.host or socket.gethostname()
        name = f"host {host}, pid {os.getpid()}" + (f", {place.container}" if place.container else "")
        channel = transport.connect(coordinator, f"{seat.slug}.{os.getpid()}.{secrets.token_hex(4)}")
        asks = m.Join(sender=seat.index, role=seat.role, address=address, name=name, host=host, plan=plan)
        member = cls(channel, asks, Pulse(silence))
        try:
            member.join_again()
        except BaseException:
            member.close()
            raise
        return member

    def join_again(self) -> None:
        """Wait until all have joined the newest generation; `roster` tells from where it goes on."""
        while True:
            self._begin(self._newer)
            self._joining = True
            try:
                self.roster = self._ask(
                    replace(self._asks, generation=self._generation, sender=self.seat.index), m.Roster
                )
            except RolledBack:
                continue
            self._joining = False
            self.seat = Seat(self._asks.role, self.roster.index)
            self.clock_now, self._rounds = self.roster.clock, self.roster.rounds
            return

    @property
    def servers(self) -> tuple[str, ...]:
        """Their addresses, in their order."""
        return self.roster.servers

    @property
    def generation(self) -> int:
        return self._generation

    def gather(self, array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        if array.dtype not in DTYPES or array.ndim > 4:
            raise UsageError(f"can't gather an array of {array.dtype} with {array.ndim} axes: numbers, at most 4 axes")
        question = m.Gather(**self._head, seq=self._rounds, array=array)
        self._rounds += 1
        return list(self._ask(question, m.Gathered).arrays)

    def claim(self, *, own: bool = False) -> Split | None:
        claimed = self._ask(m.Claim(**self._head, seq=self._claims, own=own), m.Claimed)
        self._claims += 1
        return None if claimed.owner < 0 else (claimed.owner, claimed.number)

    def check(self) -> None:
        now = time.monotonic()
        if self._vitals is not None and now - self._vital >= VITALS_EVERY:
            self._vital = now
            self._send(m.Report(**self._head, numbers=json.dumps(self._vitals())))
        if self.clock_now != self._clock_said and now - self._reported >= REPORT_EVERY:
            self.flush()
        self._say_compiles()
        while (message := self.channel.recv()) is not None:
            self._take(message)
        self._raise()
        while not self._marked.empty():
            self._send(self._marked.get())

    def waits(self, what: str, until: int = 0) -> None:
        self._send(m.Wait(**self._head, read=until, what=what))

    def report(self, numbers: dict[str, float]) -> None:
        """At most one report in 0.2 s leaves; later numbers replace earlier ones, but never those of another epoch."""
        numbers = plain_numbers(numbers)
        if self._numbers and numbers.get("epoch") != self._numbers.get("epoch"):
            self.flush()
        self._numbers |= numbers
        if time.monotonic() - self._reported >= REPORT_EVERY:
            self.flush()

    def compiles(self) -> None:
        """Say that this process compiles kernels, and may be heard of less; from any thread."""
        self._compiles = True
        if threading.get_ident() == self._thread:
            self._say_compiles()

    def _say_compiles(self) -> None:
        if self._compiles:
            self._compiles = False
            self._send(m.Report(**self._head, numbers=json.dumps({COMPILES: 1})))

    def flush(self) -> None:
        """Send the clock, and the numbers that are held back."""
        status = self._send(m.Report(**self._head, numbers=json.dumps(self._numbers)))
        self._reported, self._clock_said = time.monotonic(), self.clock_now
        if status is Status.SENT:
            self._numbers = {}

    def keeps(self) -> None:
        if self.roster.going:
            self.retreat(f"{self.seat} has state of its own, and can't go on in the place of another process")
        if not self._keeps:
            self._keeps = True
            self._send(m.Keeps(**self._head))

    def retreat(self, reason: str) -> NoReturn:
        """Ask that the run goes back, since this process can't go on from where its predecessor stood."""
        self._ask(m.Retreat(**self._head, reason=reason), m.Rollback)
        raise RolledBack(reason)

    def marked(self, clock: int, error: str = "") -> None:
        self._marked.put(m.Marked(generation=self._generation, sender=self.seat.index, clock=clock, error=error))

    def finish(self, result: dict[str, Any] | None = None) -> None:
        """Say that all is done, hand in the result, and wait to be let go: a server must outlast every worker."""
        if self._numbers:
            self.flush()
        self._ask(m.Finish(**self._head, result=json.dumps(result)), m.Ack)

    def fail(self, error: str) -> None:
        """Say that this process gives up. Waits for the coordinator to end the run, but not for long."""
        try:
            self._ask(m.Fail(**self._head, error=error), m.Ack)
        except (Stopped, PeerLost, RolledBack):
            return

    def close(self) -> None:
        self.channel.close()

    def _send(self, message: Message) -> Status:
        begun = time.monotonic()
        status = self.channel.send(message)
        if status is Status.FULL:
            self._pulse.missed(begun, time.monotonic())
        return status

    @property
    def _head(self) -> dict[str, int]:
        """The header of all that is said."""
        return {"generation": self._generation, "sender": self.seat.index, "clock": self.clock_now}

    def _begin(self, generation: int) -> None:
        """Nothing of an older generation matters any more."""
        self._generation, self.mark, self._marked = generation, None, SimpleQueue()
        self._rounds = self._claims = self.clock_now = self._clock_said = 0
        self._numbers, self._keeps, self._knows_no_middle = {}, False, False

    def _ask(self, question: Message, answer: type[M]) -> M:
        """The answer to a question of this round; older answers are echoes."""
        due, pause = 0.0, AGAIN
        while True:
            if time.monotonic() >= due:
                self._send(question)
                due = time.monotonic() + pause
                pause = min(2 * pause, AGAIN_AT_MOST)
            message = self.channel.recv(SLICE)
            if message is not None:
                self._take(message)
            self._raise()
            if isinstance(message, answer) and message.seq == question.seq and message.generation == self._generation:
                return message

    def _take(self, message: Message) -> None:
        """What may come at any time. A newer generation is known by whatever message, should its Rollback be lost."""
        self._pulse.felt()
        match message:
            case m.Abort():
                self._abort = message.reason
            case m.Roster() if self._joining and message.generation >= self._newer:
                self._generation = self._newer = message.generation
            case m.Mark() if message.generation == self._generation:
                self._heed(message)
            case m.Rollback():
                self._back = message.reason
        self._newer = max(self._newer, message.generation)

    def _heed(self, mark: m.Mark) -> None:
        """Take part in a checkpoint, unless its clock has begun: what it should hold may have changed."""
        if mark.clock <= self.clock_now:
            self.marked(mark.clock, OVER if self.clock_now >= FOREVER else LATE)
        else:
            self.mark = mark.clock, mark.url
            self._decline()

    def _raise(self) -> None:
        if self._abort is not None:
            raise Stopped(self._abort)
        if self._newer > self._generation:
            raise RolledBack(self._back)
        if self._pulse.gone(time.monotonic()):
            raise PeerLost(f"the coordinator was silent for {self._pulse.silence:g} s: its process or host is gone")
