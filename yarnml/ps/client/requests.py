"""Requests: a worker's gets of the clock that runs which have no answer yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from yarnml.ps.client.cache import Cache
from yarnml.ps.client.sense import makes_sense
from yarnml.wire.message import Get, Rows


@final
class Requests:
    """By their number. They are numbered above those of incarnations before: answers to these aren't taken for ours."""

    def __init__(self, incarnation: int) -> None:
        self._last = incarnation << 32
        self._open: dict[int, tuple[int, Get]] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._open

    def __iter__(self) -> Iterator[tuple[int, Get]]:
        """(server, get) of those without an answer."""
        return iter(self._open.values())

    def number(self) -> int:
        """That of the next one."""
        self._last += 1
        return self._last

    def asked(self, server: int, get: Get) -> None:
        """It goes out."""
        self._open[get.seq] = server, get

    def answered(self, number: int) -> None:
        """Rows have come for it."""
        self._open.pop(number, None)

    def forget(self) -> None:
        """The clock has ended. What is still needed will be asked for again, with a newer answer."""
        self._open.clear()

    def fits(self, server: int, message: Rows, cache: Cache) -> bool:
        """Whether these can be rows of the cache's table from this server."""
        asked_of, asked = self._open.get(message.seq, (server, None))
        cuts = cache.cuts
        return asked_of == server and makes_sense(message, cache.spec, cuts[server], cuts[server + 1], asked)
