"""Local tables: a lone worker's, in its own memory. Reads are live views; a clock applies increments in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import final

from yarnml.comm.company import Company
from yarnml.ps.checkpoint.files import Saved, write_shard
from yarnml.ps.checkpoint.origin import FROM_INIT, Chunk, Given, Origin
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.keys import Rows, checked, key
from yarnml.ps.patches import Patches, overlay, touches
from yarnml.ps.server.blocks import Blocks
from yarnml.ps.spec import TableSpec, resolve
from yarnml.ps.table import Array, Table, Tables, named, refuse_late


@final
class LocalTable(Table):
    """One block of rows, as fresh as can be at any staleness."""

    def __init__(self, spec: TableSpec, seed: int, origin: Origin) -> None:
        super().__init__(spec)
        self._blocks = Blocks(spec, 0, spec.rows, seed, block=1 << 62)
        self._blocks.restore(origin.chunks(spec, 0, spec.rows))
        self._live = self._blocks.live()
        self._patches = Patches(0, spec.function)

    def get(self, rows: Rows = None) -> Array:
        if rows is None and not (self._patches and self.spec.function.local):
            return self._live
        k = key(rows, self.name, self.shape)
        out = self._blocks.gather(k.rows) if k.rows is not None else self._live[k.start : k.stop]
        own = [p for p in self._patches.so_far if touches(k, p)] if self.spec.function.local else []
        if own:
            out = out if k.rows is not None else out.copy()
            overlay(self.spec.function, out, k, own)
        out = out if k.inverse is None else out[k.inverse]
        out.flags.writeable = False
        return out[0] if k.single else out

    def inc(self, rows: Rows, delta: Array) -> None:
        refuse_late(self.ended, f"an increment of table {self.name!r}")
        k = key(rows, self.name, self.shape)
        self._patches.add(k, checked(delta, k, self.name, self.shape, self.dtype))

    def prefetch(self, rows: Rows = None) -> None:
        """Everything is here."""

    def end_clock(self) -> None:
        """Apply the clock's increments."""
        for patch in self._patches.take():
            self._blocks.apply(patch, 1.0)

    def copied(self) -> tuple[Chunk, ...]:
        """All rows as they stand between two clocks."""
        chunks, loan = self._blocks.snapshot()
        copies = tuple(Chunk(chunk.start, chunk.values.copy(), chunk.state) for chunk in chunks)
        self._blocks.returned(loan)  # at once: reads are live views of these very blocks
        return copies


@final
class Local(Tables):
    """The tables of a run with one worker and no server."""

    def __init__(
        self, specs: Sequence[TableSpec], *, seed: int, company: Company, clock: int = 0, origin: Origin = FROM_INIT
    ) -> None:
        self._tables = {spec.name: LocalTable(spec, seed, origin) for spec in resolve(specs, 0)}
        self._company = company
        self._ended = False
        self.clock_now = company.clock_now = clock

    def table(self, name: str) -> LocalTable:
        found: LocalTable = named(self._tables, name)
        return found

    @property
    def sent_bytes(self) -> int:
        return 0

    @property
    def received_bytes(self) -> int:
        return 0

    @property
    def staleness_seen(self) -> int:
        return 0

    def clock(self) -> None:
        refuse_late(self._ended, "the end of a clock")
        for table in self._tables.values():
            table.end_clock()
        self.clock_now = self._company.clock_now = self.clock_now + 1
        self._company.check()

    def snapshot(self) -> Snapshot:
        """A checkpoint's rows as of the clock that begins: to be taken before anything is added in it."""
        tables = tuple((table.spec, table.copied()) for table in self._tables.values())
        return Snapshot(self.clock_now, server=0, servers=1, tables=tables)

    def copied(self) -> Callable[[str], None]:
        snapshot = self.snapshot()
        return lambda url: write_shard(url, snapshot)

    def flush(self) -> None:
        """A clock has nothing under way once it has ended."""

    def end(self) -> None:
        self._ended = True
        for table in self._tables.values():
            table.end_clock()
            table.ended = True

    def finish(self) -> None:
        self.end()


def local_client(
    specs: Sequence[TableSpec],
    *,
    seed: int,
    company: Company,
    checkpoint: str = "",
    clock: int = 0,
    given: Mapping[str, Array] | None = None,
) -> Local:
    """The tables of a lone worker, in this process; they begin as those of `serve`."""
    origin = Saved(checkpoint, clock) if checkpoint else Given(given or {})
    return Local(specs, seed=seed, company=company, clock=clock, origin=origin)
