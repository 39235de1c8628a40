"""A seat: one process's place in a run, named as users read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

ANY = -1  # the index of who takes whatever seat of its role is free


@dataclass(frozen=True, order=True)
class Seat:
    """`worker 1` of a run that has so many workers and servers."""

    role: str
    index: int

    def __str__(self) -> str:
        return f"{self.role} {self.index}" if self.index != ANY else f"a {self.role}"

    @property
    def slug(self) -> str:
        """The seat as part of a file's name."""
        return f"{self.role}-{self.index}"


def seats(roles: Mapping[str, int]) -> tuple[Seat, ...]:
    """All seats of a run, role by role."""
    return tuple(Seat(role, index) for role, count in roles.items() for index in range(count))


def spoken(these: Iterable[Seat]) -> str:
    """`server 0, workers 1, 2, 5`: every seat named once, short enough for one line."""
    groups = [(role, [str(s.index) for s in group]) for role, group in groupby(sorted(these), lambda seat: seat.role)]
    return ", ".join(f"{role}{'s' if len(names) > 1 else ''} {', '.join(names)}" for role, names in groups)
