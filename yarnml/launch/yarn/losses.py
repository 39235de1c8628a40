"""Losses: containers that ended without a word of their own, as notes about them tell."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import final

from hdfs_io import DataError
from yarnml.comm.coordinator import Coordinator
from yarnml.comm.events import Event, Exited
from yarnml.launch.yarn import notes
from yarnml.launch.yarn.memory import spoken

LOOK = 1.0  # seconds between two looks for notes
GONE = 1.0  # seconds out of reach after which a container that used too much memory counts as ended


@final
class Losses:
    """Each loss is told once."""

    def __init__(self, run: str, coordinator: Coordinator, limits: Mapping[str, int]) -> None:
        """`run`: the URL of its directory; `limits`: role -> MiB of its containers."""
        self._run, self._coordinator, self._limits = run, coordinator, limits
        self._read: set[notes.Note] = set()
        self._over: dict[str, int] = {}  # container -> MiB that it used
        self._due = 0.0

    def look(self, now: float) -> list[Event]:
        """What has happened since the last look, as events for the coordinator."""
        events: list[Event] = []
        if now >= self._due:
            self._due = now + LOOK
            events += self._ended()
        return events + self._overfull(now)

    def _ended(self) -> list[Event]:
        events: list[Event] = []
        with suppress(DataError, OSError):
            for note in set(notes.read(self._run)) - self._read:
                self._read.add(note)
                if note.over:
                    self._over[note.container] = int(note.how)
                else:
                    events.append(Exited(note.seat, f"({self._name_of(note.container)}) {note.how}"))
        return events

    def _name_of(self, container: str) -> str:
        """As errors name it: with its host, if it had joined."""
        return next((entry.name for entry in self._coordinator.here() if container in entry.name), container)

    def _overfull(self, now: float) -> list[Event]:
        """Those that said that they use too much, and are out of reach since."""
        events: list[Event] = []
        for entry in self._coordinator.here() if self._over else ():
            container = next((name for name in self._over if name in entry.name), None)
            if container is not None and now - entry.unreachable_since >= GONE:
                role, used = entry.seat.role, self._over.pop(container)
                events.append(Exited(entry.seat, f"({entry.name}) {too_much(role, used, self._limits[role])}"))
        return events


def too_much(role: str, used: int, limit: int) -> str:
    """Of a container that YARN ended for its memory."""
    return (
        f"was ended by YARN: it used {spoken(used)} of memory and may use {spoken(limit)}; "
        f"give it more by --{role}-memory"
    )
