"""A roll: who has joined a run, where each can be reached, and since when one cannot (pure)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from yarnml.comm.seat import ANY, Seat, seats

Homes = Sequence[Collection[str]]  # for each worker, hosts


@dataclass
class Entry:
    """One process on the roll."""

    seat: Seat
    peer: str  # the transport's name for its connection
    address: str  # where it listens; empty if it doesn't
    name: str  # how errors name it: "host h, pid 123"
    host: str = ""  # as the cluster calls it
    plan: str = ""  # how it understands the job; empty: it can't say
    finished: bool = False
    unreachable_since: float = math.inf  # seconds on the coordinator's clock; inf: it can be reached

    def __str__(self) -> str:
        return f"{self.seat} ({self.name})"


@final
class Roll:
    """Fills up while processes join; a seat is taken once."""

    def __init__(self, roles: Mapping[str, int]) -> None:
        self._seats: dict[Seat, Entry | None] = dict.fromkeys(seats(roles))
        self._peers: dict[str, Entry] = {}

    def join(self, entry: Entry) -> str:
        """Take the seat, or wait for any; the reason why that is refused, or an empty string."""
        if entry.peer in self._peers:
            return ""  # it asks again because an answer was lost
        role, index = entry.seat.role, entry.seat.index
        if index == ANY:
            if not any(seat.role == role for seat in self.missing()):
                return f"this run has all its {role}s"
            self._peers[entry.peer] = entry
            return ""
        if entry.seat not in self._seats:
            return f"this run has no {entry.seat}"
        taken = self._seats[entry.seat]
        if taken is not None:
            return f"{entry.seat} has joined already, from {taken.name}"
        self._seats[entry.seat] = self._peers[entry.peer] = entry
        return ""

    def settle(self, homes: Homes = ()) -> None:
        """Give seats to those who take any: first to each worker seat somebody on a host that it had best be on."""
        waiting = [entry for entry in self._peers.values() if entry.seat.index == ANY]
        free = [seat for seat, taken in self._seats.items() if taken is None]
        for wished in (True, False):
            for seat in free:
                hosts = homes[seat.index] if seat.role == "worker" and seat.index < len(homes) else ()
                at = [e for e in waiting if e.seat == Seat(seat.role, ANY) and (not wished or e.host in hosts)]
                if self._seats[seat] is None and at:
                    at[0].seat = seat
                    self._seats[seat] = at[0]

    def by_peer(self, peer: str) -> Entry | None:
        return self._peers.get(peer)

    def by_seat(self, seat: Seat) -> Entry | None:
        return self._seats.get(seat)

    def entries(self, role: str | None = None) -> list[Entry]:
        """Those who have joined, in the order of their seats."""
        seated = [entry for entry in self._seats.values() if entry is not None]
        waiting = [entry for entry in self._peers.values() if entry.seat.index == ANY]
        return [entry for entry in (*seated, *waiting) if role in (None, entry.seat.role)]

    def missing(self) -> list[Seat]:
        """The free seats, but for as many as are waited for."""
        waiting = Counter(entry.seat.role for entry in self._peers.values() if entry.seat.index == ANY)
        free = [seat for seat, entry in self._seats.items() if entry is None]
        left = []
        for seat in free:
            waiting[seat.role] -= 1
            if waiting[seat.role] < 0:
                left.append(seat)
        return left

    def odd(self) -> tuple[Entry, Entry] | None:
        """One whose plan isn't that of most, and one of these; None if all agree."""
        said = [entry for entry in self.entries() if entry.plan]
        counts = Counter(entry.plan for entry in said)
        if len(counts) < 2:
            return None
        usual = max(counts, key=lambda plan: counts[plan])
        return next(e for e in said if e.plan != usual), next(e for e in said if e.plan == usual)

    def silent(self, now: float, silence: float) -> Entry | None:
        """Who has been out of reach for longest, if that is `silence` seconds or more."""
        lost = [e for e in self.entries() if not e.finished and now - e.unreachable_since >= silence]
        return min(lost, key=lambda entry: entry.unreachable_since, default=None)

    def check(self) -> None:
        """Raise AssertionError if the two ways to look somebody up disagree."""
        assert all(self._seats[e.seat] is e for e in self._peers.values() if e.seat.index != ANY)
        assert all(self._peers[peer].peer == peer for peer in self._peers)
        assert len(self._peers) == len(self.entries())
