"""An outbox: what of one worker's increments leaves when, in managed communication, as a state machine.

    a clock ends       increments join those that wait; what is due leaves, where s is its table's staleness:
                       at the end of clock c rows with increments of clocks <= c - s, for which reads may wait from
                       the next clock on
    there is room      the rows that matter most leave
    the work returns   everything leaves

A server is told that a clock has ended once nothing of it waits any more, and not before: so what it promises of that
clock holds. Increments of tables with staleness 0 leave with the message that says so, as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from yarnml.ps.client.backlog import Backlog, Norms
from yarnml.ps.managed import Managed
from yarnml.ps.patches import split
from yarnml.ps.spec import TableSpec, bounds
from yarnml.wire.message import Patch


@final
@dataclass(frozen=True, slots=True)
class Letter:
    """An effect: send increments to a server; `ends`: the clock that ends there with them."""

    server: int
    patches: tuple[Patch, ...]
    ends: int | None = None


@final
class Outbox:
    """Of all tables of one worker; `clock` is the first that runs."""

    def __init__(
        self, specs: Sequence[TableSpec], *, servers: int, managed: Managed, seed: int, clock: int = 0
    ) -> None:
        """`specs` with their staleness resolved."""
        rng = np.random.default_rng(seed)
        self._specs, self._servers, self._managed = specs, servers, managed
        self.backlogs = {i: Backlog(i, spec, rng) for i, spec in enumerate(specs) if managed.manages(spec)}
        self._exact: dict[int, list[Patch]] = {}  # clock -> increments of tables with s = 0
        self._clock = clock  # the one that runs
        self._told = clock  # the next of which servers are to be told that it has ended

    @property
    def empty(self) -> bool:
        """Nothing waits."""
        return self._told == self._clock and not any(len(backlog) for backlog in self.backlogs.values())

    def end_clock(self, patches: Sequence[list[Patch]]) -> list[Letter]:
        """The running clock ends, in which these were made, by table."""
        clock, self._clock = self._clock, self._clock + 1
        self._exact[clock] = [p for i, some in enumerate(patches) if i not in self.backlogs for p in some]
        out: list[Patch] = []
        for i, backlog in self.backlogs.items():
            backlog.add(patches[i], clock)
            if backlog.spec.staleness is not None:
                assert isinstance(backlog.spec.staleness, int)
                out += backlog.due(clock - backlog.spec.staleness)
        return self._letters(out)

    def offer(self, room: float, norms: Sequence[Norms]) -> list[Letter]:
        """There is room for so many bytes. `norms`: by table."""
        out: list[Patch] = []
        for i, backlog in self.backlogs.items():
            rows = int(room / backlog.row_bytes)
            if rows and len(backlog) and room >= min(self._managed.chunk, len(backlog) * backlog.row_bytes):
                some = backlog.best(rows, self._managed.order, norms[i])
                room -= sum(len(patch.values) for patch in some) * backlog.row_bytes
                out += some
        return self._letters(out) if out else []

    def flush(self) -> list[Letter]:
        """Everything leaves."""
        return self._letters([patch for backlog in self.backlogs.values() for patch in backlog.due(self._clock)])

    def settle(self) -> list[Letter]:
        """Everything leaves, and nothing is added any more."""
        return self._letters([patch for backlog in self.backlogs.values() for patch in backlog.settle()])

    def _letters(self, out: list[Patch]) -> list[Letter]:
        """Increments of managed tables, with the ends of the clocks of which nothing waits any more."""
        oldest = [b.oldest for b in self.backlogs.values() if b.oldest is not None]
        ends = list(range(self._told, min([self._clock, *oldest])))
        self._told += len(ends)
        if not ends:
            return [Letter(server, some) for server, some in enumerate(self._by_server(out)) if some]
        letters = []
        for end in ends:
            letters += [Letter(*each, end) for each in enumerate(self._by_server(out + self._exact.pop(end)))]
            out = []
        return letters

    def _by_server(self, patches: list[Patch]) -> list[tuple[Patch, ...]]:
        parts: list[list[Patch]] = [[] for _ in range(self._servers)]
        for patch in patches:
            for server, part in split(patch, bounds(self._specs[patch.table].rows, self._servers)):
                parts[server].append(part)
        return [tuple(part) for part in parts]
