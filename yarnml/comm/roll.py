"""A roll: who has joined a run, where each can be reached, and since when one cannot (pure)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from yarnml.comm.seat import Seat, seats


@dataclass
class Entry:
    """One process on the roll."""

    seat: Seat
    peer: str  # the transport's name for its connection
    address: str  # where it listens; empty if it doesn't
    name: str  # how errors name it: "host h, pid 123"
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
        """Take the seat; the reason why that is refused, or an empty string."""
        if entry.seat not in self._seats:
            return f"this run has no {entry.seat}"
        taken = self._seats[entry.seat]
        if taken is None:
            self._seats[entry.seat] = self._peers[entry.peer] = entry
            return ""
        if taken.peer == entry.peer:
            return ""  # it asks again because an answer was lost
        return f"{entry.seat} has joined already, from {taken.name}"

    def by_peer(self, peer: str) -> Entry | None:
        return self._peers.get(peer)

    def by_seat(self, seat: Seat) -> Entry | None:
        return self._seats.get(seat)

    def entries(self, role: str | None = None) -> list[Entry]:
        """Those who have joined, in the order of their seats."""
        return [e for e in self._seats.values() if e is not None and role in (None, e.seat.role)]

    def missing(self) -> list[Seat]:
        return [seat for seat, entry in self._seats.items() if entry is None]

    def silent(self, now: float, silence: float) -> Entry | None:
        """Who has been out of reach for longest, if that is `silence` seconds or more."""
        lost = [e for e in self.entries() if not e.finished and now - e.unreachable_since >= silence]
        return min(lost, key=lambda entry: entry.unreachable_since, default=None)

    def check(self) -> None:
        """Raise AssertionError if the two ways to look somebody up disagree."""
        assert all(self._seats[entry.seat] is entry for entry in self._peers.values())
        assert all(self._peers[peer].peer == peer for peer in self._peers)
        assert len(self._peers) == len(self.entries())
