"""A member: a process's link to the coordinator of its run."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, final

import numpy as np

from yarnml.comm.company import Company
from yarnml.comm.plain import plain_numbers
from yarnml.comm.pulse import Pulse
from yarnml.comm.seat import Seat
from yarnml.errors import PeerLost, Stopped, UsageError
from yarnml.wire.frames import DTYPES
from yarnml.wire.message import Abort, Ack, Fail, Finish, Gather, Gathered, Join, Message, Report, Roster, Wait
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
    """Belongs to one thread. Every wait ends when the coordinator says so, or has been silent for too long."""

    def __init__(self, channel: Channel, seat: Seat, servers: tuple[str, ...], pulse: Pulse) -> None:
        """Use `join`."""
        self.channel = channel
        self.seat = seat
        self.servers = servers  # addresses, in the order of the servers
        self._pulse = pulse
        self._abort: str | None = None
        self._rounds = 0
        self._numbers: dict[str, float] = {}
        self._reported = 0.0
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
        member = cls(channel, seat, (), Pulse(silence))
        try:
            asks = Join(sender=seat.index, role=seat.role, address=address, name=name, host=host, plan=plan)
            roster = member._ask(asks, Roster)
            member.seat, member.servers = Seat(seat.role, roster.index), roster.servers
        except BaseException:
            member.close()
            raise
        return member

    def gather(self, array: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        if array.dtype not in DTYPES or array.ndim > 4:
            raise UsageError(f"can't gather an array of {array.dtype} with {array.ndim} axes: numbers, at most 4 axes")
        question = Gather(sender=self.seat.index, clock=self.clock_now, seq=self._rounds, array=array)
        self._rounds += 1
        return list(self._ask(question, Gathered).arrays)

    def check(self) -> None:
        if self._vitals is not None and time.monotonic() - self._vital >= VITALS_EVERY:
            self._vital = time.monotonic()
            self.channel.send(Report(sender=self.seat.index, numbers=json.dumps(self._vitals())))
        while (message := self.channel.recv()) is not None:
            self._take(message)
        self._raise()

    def waits(self, what: str, until: int = 0) -> None:
        self.channel.send(Wait(sender=self.seat.index, clock=self.clock_now, read=until, what=what))

    def report(self, numbers: dict[str, float]) -> None:
        """At most one report in 0.2 s leaves; later numbers replace earlier ones, but never those of another epoch."""
        numbers = plain_numbers(numbers)
        if numbers.get("epoch") != self._numbers.get("epoch"):
            self.flush()
        self._numbers |= numbers
        if time.monotonic() - self._reported >= REPORT_EVERY:
            self.flush()

    def flush(self) -> None:
        """Send the numbers that are held back."""
        if self._numbers:
            status = self.channel.send(Report(sender=self.seat.index, numbers=json.dumps(self._numbers)))
            self._reported = time.monotonic()
            if status is Status.SENT:
                self._numbers = {}

    def finish(self, result: dict[str, Any] | None = None) -> None:
        """Say that all is done, hand in the result, and wait to be let go: a server must outlast every worker."""
        self.flush()
        self._ask(Finish(sender=self.seat.index, result=json.dumps(result)), Ack)

    def fail(self, error: str) -> None:
        """Say that this process gives up. Waits for the coordinator to end the run, but not for long."""
        try:
            self._ask(Fail(sender=self.seat.index, error=error), Ack)
        except (Stopped, PeerLost):
            return

    def close(self) -> None:
        self.channel.close()

    def _ask(self, question: Message, answer: type[M]) -> M:
        """The answer to a question of this round; older answers are echoes."""
        due, pause = 0.0, AGAIN
        while True:
            if time.monotonic() >= due:
                self.channel.send(question)
                due = time.monotonic() + pause
                pause = min(2 * pause, AGAIN_AT_MOST)
            message = self.channel.recv(SLICE)
            if message is not None:
                self._take(message)
            self._raise()
            if isinstance(message, answer) and message.seq == question.seq:
                return message

    def _take(self, message: Message) -> None:
        self._pulse.felt()
        if isinstance(message, Abort):
            self._abort = message.reason

    def _raise(self) -> None:
        if self._abort is not None:
            raise Stopped(self._abort)
        if self._pulse.gone(time.monotonic()):
            raise PeerLost(f"the coordinator was silent for {self._pulse.silence:g} s: its process or host is gone")
