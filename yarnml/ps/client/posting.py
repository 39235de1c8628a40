"""Posting: the sending of one worker's increments in managed communication, at the moments that its client gives it.

A client has no thread of its own, so it sends while it is called: as a clock ends, with an increment, and as it waits.
That is enough: what it hands over leaves by the transport's own thread while the app computes, increments come by calls
alone, and what was not sent while an app computed for long may be made up for (`budget.BURST`). A thread that sends
would need the tables locked and the sockets shared, to gain an order of sending that is newer by a part of a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

from yarnml.ps.budget import Budget
from yarnml.ps.client.cache import Cache
from yarnml.ps.client.outbox import Letter, Outbox
from yarnml.ps.managed import HEADER, Managed
from yarnml.wire.message import Patch

SOON = 0.005  # s


@final
class Posting:
    """Of the tables with these caches. `tell` sends a letter as a message, and returns its number and its bytes."""

    def __init__(
        self,
        caches: Sequence[Cache],
        managed: Managed,
        *,
        worker: int,
        clock: int,
        now: float,
        tell: Callable[[Letter], tuple[int, int]],
    ) -> None:
        self._caches, self._tell, self._chunk = caches, tell, managed.chunk
        self._servers = len(caches[0].cuts) - 1
        specs = [cache.spec for cache in caches]
        self._outbox = Outbox(specs, servers=self._servers, managed=managed, seed=worker, clock=clock)
        self._budget = Budget(managed.bandwidth, now)
        self._busy = False  # a letter is being sent

    def waiting(self, table: int) -> list[Patch]:
        """Increments of a table that wait to be sent."""
        backlog = self._outbox.backlogs.get(table)
        return [] if backlog is None else backlog.patches

    def end_clock(self, clock: int, patches: Sequence[list[Patch]]) -> None:
        """These increments were made, by table, in the clock that ends."""
        for table, cache in enumerate(self._caches):
            if table not in self._outbox.backlogs:
                cache.sent(clock, patches[table])
        self._post(self._outbox.end_clock(patches))

    def offer(self, now: float) -> None:
        """It may be time to send."""
        if self._busy or self._outbox.empty:
            return
        if (room := self._budget.left(now)) >= self._chunk:
            self._post(self._outbox.offer(room, [cache.norms for cache in self._caches]))

    def flush(self) -> None:
        """Everything leaves, since somebody may wait for it who doesn't wait here."""
        self._post(self._outbox.flush())

    def settle(self) -> None:
        """Everything leaves, and nothing is added any more."""
        self._post(self._outbox.settle())

    def affords(self, now: float) -> bool:
        """Whether not too much was sent: else the worker must wait."""
        return self._budget.affords(now)

    def patience(self, now: float, most: float) -> float:
        """How long to wait for messages at most, in s, before there may be something to send."""
        if self._outbox.empty:
            return most
        return min(most, max(SOON, self._budget.seconds(now, self._chunk)))

    def _post(self, letters: Sequence[Letter]) -> None:
        self._busy = True  # to tell may be to wait, and who waits offers to send: but first this, in its order
        try:
            self._send(letters)
        finally:
            self._busy = False

    def _send(self, letters: Sequence[Letter]) -> None:
        told: list[int] = []
        for letter in letters:
            number, size = self._tell(letter)
            self._budget.spend(HEADER + size)
            for patch in letter.patches:
                if patch.table in self._outbox.backlogs:
                    self._caches[patch.table].sent(number, [patch], letter.server)
            if letter.ends is not None:
                told.append(number)
                if len(told) == self._servers:
                    for table in self._outbox.backlogs:
                        self._caches[table].told(letter.ends, told)
                    told = []
