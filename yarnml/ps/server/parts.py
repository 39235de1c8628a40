"""Parts: the rows of all tables that one server holds, and the checkpoint that is to be made of them.

A checkpoint is marked ahead of its clock K. From then on increments of clocks >= K are kept out of it, though all see
them; once every worker has ended clock K - 1 a snapshot can be taken, at any time. Nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

from yarnml.ps.checkpoint.origin import Origin
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.managed import Managed
from yarnml.ps.server.part import Part
from yarnml.ps.spec import TableSpec, bounds
from yarnml.wire.frames import WireError
from yarnml.wire.message import Patch


@final
class Parts:
    """By the number of their table. `clock` is the first that runs; `specs` have their staleness resolved."""

    def __init__(
        self,
        specs: Sequence[TableSpec],
        *,
        server: int,
        servers: int,
        workers: int,
        seed: int,
        clock: int,
        origin: Origin,
        managed: Managed | None,
    ) -> None:
        self._server, self._servers = server, servers
        self._parts = [
            Part(
                spec, *bounds(spec.rows, servers)[server : server + 2],
                workers=workers, seed=seed, origin=origin, managed=managed,
            )
            for spec in specs
        ]  # fmt: skip
        self._slowest = clock - 1
        self._parked: dict[int, dict[int, list[Patch]]] = {}  # clock -> worker -> increments of tables with s = 0
        self._mark: int | None = None  # clock of the checkpoint to come

    def __iter__(self) -> Iterator[Part]:
        return iter(self._parts)

    def __getitem__(self, table: int) -> Part:
        """Raises WireError where there is no such table: a message asks for it."""
        parts = self._parts
        if not 0 <= table < len(parts):
            raise WireError(f"rows of table {table} of {len(parts)}")
        return parts[table]

    # ---- increments

    def check(self, patches: Sequence[Patch]) -> None:
        """Raise WireError if these can't be increments of these rows."""
        for patch in patches:
            self[patch.table].check_patch(patch)

    def add(self, worker: int, clock: int, patches: Sequence[Patch]) -> None:
        """A worker's increments of a clock are applied."""
        for patch in patches:
            self._parts[patch.table].apply_one(patch, worker, clock, self._mark)

    def end_clock(self, worker: int, clock: int, patches: Sequence[Patch]) -> None:
        """A worker's last increments of a clock: those of tables with s = 0 are parked until all have ended it."""
        exact = [p for p in patches if self._parts[p.table].spec.staleness == 0]
        if exact:
            self._parked.setdefault(clock, {})[worker] = exact
        self.add(worker, clock, [p for p in patches if self._parts[p.table].spec.staleness != 0])
        for part in self._parts:
            part.ended(worker)

    def advance(self, slowest: int) -> None:
        """All workers have ended this clock: what was parked for it is applied, clock by clock."""
        for clock in sorted(c for c in self._parked if c <= slowest):
            self._apply_clock(clock, self._parked.pop(clock))
        self._slowest = slowest

    def _apply_clock(self, clock: int, parked: dict[int, list[Patch]]) -> None:
        """All workers' increments of one clock, in worker order."""
        by_table: dict[int, list[Patch]] = {}
        for worker in sorted(parked):
            for patch in parked[worker]:
                by_table.setdefault(patch.table, []).append(patch)
        for table, patches in by_table.items():
            self._parts[table].apply_all(patches, clock, self._mark)

    # ---- checkpoints

    def mark(self, clock: int) -> bool:
        """Prepare a snapshot as of `clock`, in the place of any before; False if it is too late for that."""
        self.unmark()
        if any(part.too_late(clock) for part in self._parts):
            return False
        self._mark = clock
        return True

    def unmark(self) -> None:
        """No snapshot is wanted."""
        self._mark = None
        for part in self._parts:
            part.unmark()

    def snapshot(self) -> Snapshot | None:
        """The one that is marked, once, when all that belongs into it has come; its loans come back by `written`."""
        if self._mark is None or self._slowest < self._mark - 1:
            return None
        clock, self._mark = self._mark, None
        taken = [part.snapshot() for part in self._parts]
        return Snapshot(
            clock, self._server, self._servers,
            tables=tuple((part.spec, chunks) for part, (chunks, _) in zip(self._parts, taken, strict=True)),
            loans=tuple(loan for _, loan in taken),
        )  # fmt: skip

    def written(self, snapshot: Snapshot) -> None:
        """A snapshot has been read."""
        for part, loan in zip(self._parts, snapshot.loans, strict=True):
            part.returned(loan)
