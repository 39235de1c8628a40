"""Patience: how long a worker waits for servers, what it does meanwhile, and what ends it."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic
from typing import final

from yarnml.comm.company import Company
from yarnml.errors import PeerLost
from yarnml.wire.transport import Status

CHECK = 0.1  # s between looks at the company while waiting
LONG = 1.0  # s after which, each time again, the company is told what is waited for
SILENCE = 1.0  # s without a message after which servers are asked what has come


@final
class Patience:
    """One worker's. Every wait ends: with what is waited for, with what the company's check raises, or PeerLost."""

    def __init__(
        self, company: Company, deadline: float | None, *, listen: Callable[[], bool], nudge: Callable[[], None]
    ) -> None:
        """`deadline`: seconds that any one wait may take. `listen`: wait a little for messages and take in what comes,
        if anything does; `nudge`: ask servers what has come, since a connection may have broken."""
        self._company, self._listen, self._nudge = company, listen, nudge
        self._deadline = math.inf if deadline is None else deadline
        self._checked = monotonic()

    def check(self) -> None:
        """Now and then, see to it that the run goes on."""
        now = monotonic()
        if now - self._checked > CHECK:
            self._checked = now
            self._company.check()

    def wait(self, ready: Callable[[], bool], awaited: Callable[[], str], until: int = 0) -> None:
        """Take in messages until it is `ready`.

        A wait that takes long is told to the company: for `awaited`, which comes once all have come to clock `until`.
        """
        told = heard = start = monotonic()
        while True:
            came = self._listen()
            if ready():
                if told != start:
                    self._company.waits("")
                return
            self.check()
            now = monotonic()
            heard = now if came else heard
            if now - told > LONG:
                told = now
                self._company.waits(awaited(), until)
            if now - start > self._deadline:
                raise PeerLost(f"waited {self._deadline:g} s for {awaited()}; look at its log and the slowest worker's")
            if now - heard > SILENCE:
                heard = now
                self._nudge()

    def insist(self, send: Callable[[], Status], server: int) -> None:
        """Try to send until there is room."""
        end = monotonic() + self._deadline
        while send() is Status.FULL:
            self._company.check()
            if monotonic() > end:
                raise PeerLost(f"server {server} has taken no message for {self._deadline:g} s; look at its log")
