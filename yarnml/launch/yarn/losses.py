"""Losses: containers that ended without a word of their own, as notes about them tell, or the cluster.

what is seen of a container          what the coordinator is told
a note: how its process ended        it died, and that counts
a note: it used too much memory,     hopeless: the next would, too
and it is out of reach since
no note, out of reach; gone as far   it was taken, and that doesn't count
as YARN knows, or its node is
notes of more that ended before      hopeless: nothing can start there
they had joined than --retries
"""

from __future__ import annotations

from contextlib import suppress
from typing import final

from hdfs_io import DataError
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.events import Cause, Event, Exited
from yarnml.comm.roll import Entry
from yarnml.comm.seat import ANY, Seat
from yarnml.launch.yarn import notes
from yarnml.launch.yarn.fates import Fates
from yarnml.launch.yarn.inside import Inside
from yarnml.launch.yarn.memory import spoken

LOOK = 1.0  # seconds between two looks for notes
GONE = 1.0  # seconds out of reach after which a container that used too much memory counts as ended
ASK = 2.0  # seconds out of reach after which the cluster is asked


@final
class Losses:
    """Each loss is told once. Times are the coordinator's."""

    def __init__(self, inside: Inside, coordinator: Coordinator, fates: Fates, *, first: bool = True) -> None:
        """`inside`: what the scheduler finds around it; `first`: it has no predecessor, whom notes could be for."""
        self._run, self._limits, self._retries = inside.job.url, inside.spec.limits, inside.job.retries
        self._coordinator, self._fates = coordinator, fates
        self._read = set() if first else set(notes.read(self._run))
        self._over: dict[str, int] = {}  # container -> MiB that it used
        self._seats: dict[str, Seat] = {}  # of every container that has joined
        self._told: set[str] = set()  # containers
        self._unjoined = 0  # that ended, since last all were there
        self._due = 0.0

    def look(self, now: float) -> list[Event]:
        """What has happened since the last look, as events for the coordinator."""
        here = self._coordinator.here()
        self._seats |= {container_of(entry): entry.seat for entry in here}
        if not self._coordinator.missing():
            self._unjoined = 0
        events: list[Event] = []
        if now >= self._due:
            self._due = now + LOOK
            events += self._ended()
        return events + self._overfull(now) + self._taken(now)

    def container_at(self, seat: Seat) -> str | None:
        """Which one has the seat, or had it last."""
        return next((name for name, its in reversed(self._seats.items()) if its == seat), None)

    def _ended(self) -> list[Event]:
        events: list[Event] = []
        with suppress(DataError, OSError):
            for note in set(notes.read(self._run)) - self._read:
                self._read.add(note)
                if note.over:
                    self._over[note.container] = int(note.how)
                elif note.container not in self._told:
                    self._told.add(note.container)
                    events += self._heard(note)
        return events

    def _heard(self, note: notes.Note) -> list[Event]:
        """Of a process that ended by itself."""
        seat = self._seats.get(note.container)
        if seat is None:
            return self._stillborn(note)
        entry = next((e for e in self._coordinator.here() if container_of(e) == note.container), None)
        if entry is None or seat.index == ANY:  # another has its seat, or it had none
            return []
        return [Exited(seat, f"({entry.name}) {note.how}", note.container)]

    def _stillborn(self, note: notes.Note) -> list[Event]:
        """Of one that had not joined: nobody goes back for it, but where too many end so, none would ever come."""
        self._unjoined += 1
        if self._unjoined <= self._retries:
            return []
        others = f", as did {self._unjoined - 1} before it: they hadn't joined yet" if self._unjoined > 1 else ""
        return [Exited(note.seat, f"({note.container}) {note.how}{others}", note.container, "hopeless")]

    def _overfull(self, now: float) -> list[Event]:
        """Those that said that they use too much, and are out of reach since."""
        events: list[Event] = []
        for entry in self._lost(GONE, now) if self._over else ():
            used = self._over.get(container_of(entry))
            if used is not None:
                role = entry.seat.role
                how = too_much(role, used, self._limits[role])
                events.append(self._tell(entry, how, "hopeless"))
        return events

    def _taken(self, now: float) -> list[Event]:
        """Those that the cluster has ended, or lost."""
        events: list[Event] = []
        for entry in self._lost(ASK, now):
            how = self._fates.of(container_of(entry), entry.host)
            if how:
                events += self._ended()  # a note that was left before the container ended tells better why
                if container_of(entry) not in self._told:
                    events.append(self._tell(entry, how, "taken"))
        return events

    def _lost(self, seconds: float, now: float) -> list[Entry]:
        """Who has a seat and is out of reach for so long."""
        here = [entry for entry in self._coordinator.here() if entry.seat.index != ANY and not entry.finished]
        return [e for e in here if now - e.unreachable_since >= seconds and container_of(e) not in self._told]

    def _tell(self, entry: Entry, how: str, cause: Cause) -> Exited:
        self._told.add(container_of(entry))
        return Exited(entry.seat, f"({entry.name}) {how}", container_of(entry), cause)


def container_of(entry: Entry) -> str:
    """Its name, with which its member's name ends."""
    return entry.name.rpartition(", ")[2]


def too_much(role: str, used: int, limit: int) -> str:
    """Of a container that YARN ended for its memory."""
    return (
        f"was ended by YARN: it used {spoken(used)} of memory and may use {spoken(limit)}; "
        f"give it more by --{role}-memory"
    )
