"""Own increments: what a worker has sent, and what it holds of a table may lack.

Each has a mark: the clock that made it; of a table whose increments leave bit by bit (unbounded or managed), the number
of the message to its server. Rows say up to which mark own increments are in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from yarnml.ps.client.reading import Link
from yarnml.wire.message import Patch


@final
class Own:
    """Of one table, read from servers with these links; `managed`: by message, and kept over clocks."""

    def __init__(self, links: Sequence[Link], managed: bool) -> None:
        self._links, self._managed = links, managed
        self._patches: dict[tuple[int, int], list[Patch]] = {}  # (mark, server; 0 if marks are clocks) -> sent
        self._told: dict[int, list[int]] = {}  # ended clock -> number of the message that said so, by server

    def __bool__(self) -> bool:
        return bool(self._patches)

    def sent(self, mark: int, patches: list[Patch], server: int) -> None:
        """These left with this mark."""
        if patches:
            self._patches.setdefault((mark, server), []).extend(patches)

    def told(self, clock: int, messages: list[int]) -> None:
        """Servers have been told, by these messages, that `clock` has ended."""
        self._told[clock] = messages

    def after(self, mark: int) -> list[tuple[int, Patch]]:
        """(mark, patch) of all later than `mark`, in their order."""
        return [(at[0], patch) for at in sorted(self._patches) if at[0] > mark for patch in self._patches[at]]

    def expire(self, needs: int) -> None:
        """Forget what is in whatever may be read: it was sent after all increments of clocks <= `needs` had come."""
        if not self._managed:
            known = max(needs, min(link.own for link in self._links))
            self._patches = {at: patches for at, patches in self._patches.items() if at[0] > known}
            return
        for clock in sorted(c for c in self._told if c <= needs):
            for link, message in zip(self._links, self._told.pop(clock), strict=True):
                link.floor = message
        floors = [max(link.floor, link.own) for link in self._links]
        self._patches = {(mark, k): some for (mark, k), some in self._patches.items() if mark > floors[k]}

    def clear(self) -> None:
        """Whatever is read from now on is asked for anew, after all of them."""
        self._patches.clear()
        self._told.clear()
