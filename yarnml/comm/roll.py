"""A roll: who takes part in a run, where each can be reached, and since when one cannot (pure)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from yarnml.comm.seat import ANY, Seat, seats

COMPILES = "compiles"  # in the place of a number's name in a report: the process compiles kernels
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
    here: bool = True  # it has joined this generation, or takes any seat that gets free
    finished: bool = False
    keeps: bool = False  # state of its own
    unreachable_since: float = math.inf  # seconds on the coordinator's clock; inf: it can be reached

    def __str__(self) -> str:
        return f"{self.seat} ({self.name})"


@final
class Roll:
    """Fills up while processes join; a seat is taken once, until its process is gone."""

    def __init__(self, roles: Mapping[str, int], *, spares: bool = False) -> None:
        """`spares`: whether who takes any seat is let in to wait for one when all are taken."""
        self._seats: dict[Seat, Entry | None] = dict.fromkeys(seats(roles))
        self._peers: dict[str, Entry] = {}
        self._spares = spares
        self._gone: dict[str, str] = {}  # peer whose seat is another's now -> its name
        self._vacant: dict[Seat, float] = {}  # when its process went
        self._incarnations = dict.fromkeys(self._seats, 0)

    def join(self, entry: Entry) -> str:
        """Take the seat, or wait for any; the reason why that is refused, or an empty string."""
        if entry.peer in self._gone:
            return f"{entry.seat} has been replaced, since it could not be reached"
        known = self._peers.get(entry.peer)
        if known is not None:  # it asks again because an answer was lost, or in a new generation
            known.here, known.plan = True, entry.plan
            return ""
        role, index = entry.seat.role, entry.seat.index
        if index == ANY:
            if not self._spares and not any(seat.role == role for seat in self.missing()):
                return f"this run has all its {role}s"
            self._peers[entry.peer] = entry
            return ""
        if entry.seat not in self._seats:
            return f"this run has no {entry.seat}"
        taken = self._seats[entry.seat]
        if taken is not None:
            return f"{entry.seat} has joined already, from {taken.name}"
        self._sit(entry, entry.seat)
        return ""

    def settle(self, homes: Homes = ()) -> None:
        """Give seats to those who take any: first to each worker seat somebody on a host that it had best be on."""
        for wished in (True, False):
            for seat in [seat for seat, taken in self._seats.items() if taken is None]:
                hosts = homes[seat.index] if seat.role == "worker" and seat.index < len(homes) else ()
                at = [e for e in self._waiting(seat.role) if not wished or e.host in hosts]
                if at:
                    self._sit(at[0], seat)

    def vacate(self, seat: Seat, now: float) -> None:
        """Its process is gone: another may take the seat."""
        entry = self._seats[seat]
        if entry is not None:
            del self._peers[entry.peer]
            self._gone[entry.peer] = entry.name
        self._seats[seat] = None
        self._vacant[seat] = now
        self._incarnations[seat] += 1

    def begin(self) -> None:
        """All have joined: who has a seat is the first in this generation."""
        self._incarnations = dict.fromkeys(self._seats, 0)

    def turn(self) -> None:
        """A new generation: everybody has to join again."""
        for entry in self.entries():
            entry.here = entry.seat.index == ANY
            entry.finished = entry.keeps = False

    def by_peer(self, peer: str) -> Entry | None:
        return self._peers.get(peer)

    def by_seat(self, seat: Seat) -> Entry | None:
        return self._seats.get(seat)

    def incarnation(self, seat: Seat) -> int:
        """How many processes have had the seat in this generation before."""
        return self._incarnations[seat]

    def entries(self, role: str | None = None) -> list[Entry]:
        """Those who have joined, in the order of their seats; without a `role` also who takes any seat."""
        if role is not None:
            return [entry for entry in self.seated() if entry.seat.role == role]
        return [*self.seated(), *(entry for entry in self._peers.values() if entry.seat.index == ANY)]

    def has_left(self, who: str) -> bool:
        """Whether one with `who` in its name had a seat that is another's now."""
        return bool(who) and any(who in name for name in self._gone.values())

    def seated(self) -> list[Entry]:
        """Those who have a seat."""
        return [entry for entry in self._seats.values() if entry is not None]

    def missing(self) -> list[Seat]:
        """The free seats, but for as many as are waited for."""
        waiting = Counter(entry.seat.role for entry in self._peers.values() if entry.seat.index == ANY)
        left = []
        for seat in [seat for seat, entry in self._seats.items() if entry is None]:
            waiting[seat.role] -= 1
            if waiting[seat.role] < 0:
                left.append(seat)
        return left

    def complete(self) -> bool:
        """Whether all have joined this generation."""
        return not self.missing() and all(entry.here for entry in self.entries())

    def overdue(self, first: float, within: float, now: float) -> list[Seat]:
        """Missing seats: by `first` in the beginning, and `within` so many seconds of the end of who had them."""
        due = {seat: self._vacant[seat] + within if seat in self._vacant else first for seat in self.missing()}
        return [seat for seat, until in due.items() if now >= until]

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

    def drop(self, entry: Entry) -> None:
        """Who waited for any seat is gone."""
        del self._peers[entry.peer]

    def check(self) -> None:
        """Raise AssertionError if the two ways to look somebody up disagree."""
        assert all(self._seats[e.seat] is e for e in self._peers.values() if e.seat.index != ANY)
        assert all(self._peers[peer].peer == peer for peer in self._peers)
        assert len(self._peers) == len(self.entries())
        assert not self._gone.keys() & self._peers.keys()

    def _sit(self, entry: Entry, seat: Seat) -> None:
        entry.seat = seat
        self._seats[seat] = self._peers[entry.peer] = entry
        self._vacant.pop(seat, None)

    def _waiting(self, role: str) -> list[Entry]:
        return [entry for entry in self._peers.values() if entry.seat == Seat(role, ANY)]
