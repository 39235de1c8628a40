"""Spilled: a share beyond memory. The first time through it is read from its store, from then on from a local disk.

There its rows lie in the order that batches are cut from, without need of parsing, in files that have no name and
so are gone with the process, however it ends. A thread reads ahead of who computes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, final

from numpy.typing import NDArray

from hdfs_io import DataError, Dataset, Rows, load, stream
from hdfs_io.ahead import Put, ahead
from hdfs_io.frugal import frugal, give_back
from hdfs_io.pile import Pile, room, spill_folder
from hdfs_io.spill import Spill
from hdfs_io.stream import regrid
from yarnml.app.batch import Batch
from yarnml.app.plan import Plan
from yarnml.app.share import Share, chunk_rows, cut_columns, made, number_of
from yarnml.job import Part

Order = Callable[[int], NDArray[Any]]  # of so many rows
READ = 2  # part of the memory for the threads that read
SORTED = 24  # part of it whose rows are sorted at a time: they are there twice then
MERGED = 8  # part of it whose rows are merged at a time: they are there three times then
OFTEN = 4  # chunks after which what allocators keep goes back


@final
@dataclass(frozen=True)
class Origin:
    """Where a share's rows come from."""

    part: Part
    lo: int  # of its data set's rows [lo, hi) the share has those that the part's sample keeps
    hi: int
    threads: int
    memory: int  # bytes

    def __len__(self) -> int:
        return self.part.sample.within(self.lo, self.hi)

    @property
    def dataset(self) -> Dataset:
        return self.part.dataset

    def chunks(self) -> Iterator[Rows]:
        """All its rows in the data set's order, in chunks; at least one."""
        any_ = False
        memory = self.memory // READ
        runs = stream(self.dataset, self.lo, self.hi, self.part.sample, self.threads, memory)
        with frugal():
            for n, rows in enumerate(regrid(runs, self.chunk)):
                any_ = True
                yield rows
                if n % OFTEN == 0:
                    give_back()
        if not any_:
            yield load(self.dataset, 0, 0)

    @property
    def chunk(self) -> int:
        return chunk_rows(self.dataset)

    def without_id(self) -> Self:
        roles = replace(self.dataset.options.roles, id=None)
        dataset = replace(self.dataset, options=replace(self.dataset.options, roles=roles))
        return replace(self, part=replace(self.part, dataset=dataset))


@final
class Spilled(Share):
    def __init__(self, origin: Origin, order: Order | None) -> None:
        """`order`: that of the batches; None: there will be none."""
        self._origin, self._order = origin.without_id(), order
        self._rows = len(origin)
        self._spill: Spill | None = None
        self._pile: Pile | None = None

    def __len__(self) -> int:
        return self._rows

    def renew(self) -> None:
        self._spill = self._pile = None

    def chunks(self) -> Iterator[Rows]:
        if self._pile is not None:
            return self._again(self._pile)
        return self._origin.chunks() if self._spill is not None else self._first()

    def batches(self, plan: Plan, clock: int, end: int) -> Generator[Batch, None, None]:
        pile = self._in_order()
        return ahead(partial(_batch, pile, plan, now) for now in range(clock, end))

    def _first(self) -> Iterator[Rows]:
        """All rows from their store, kept on disk by the way."""
        folder = spill_folder()
        self._refuse_full(folder)
        if self._order is None:
            pile = Pile(folder)
            yield from _kept(self._origin.chunks(), pile.append)
            self._pile = pile
        else:
            run, group = (max(1, self._origin.memory // k // self._origin.dataset.row_bytes) for k in (SORTED, MERGED))
            spill = Spill(self._order(self._rows), run, group, folder)
            yield from _kept(self._origin.chunks(), spill.append)
            self._spill = spill

    def _in_order(self) -> Pile:
        """The rows on disk in the batches' order."""
        if self._pile is None:
            if self._spill is None:
                for _ in self._first():
                    pass
            assert self._spill is not None, "a share without an order has no batches"
            with frugal():
                self._pile, self._spill = self._spill.merged(), None
        return self._pile

    def _again(self, pile: Pile) -> Iterator[Rows]:
        size = self._origin.chunk
        return ahead(partial(_chunk, pile, lo, min(lo + size, len(pile))) for lo in range(0, len(pile), size))

    def _refuse_full(self, folder: str) -> None:
        need = (1 if self._order is None else 2) * self._origin.dataset.bytes_between(self._origin.lo, self._origin.hi)
        if (have := room(folder)) < need:
            raise DataError(
                f"{folder}: has room for {have >> 20:,} MiB, and {need >> 20:,} MiB of data beyond memory have to go "
                "there; name another disk in TMPDIR, or use more workers or a larger --data-memory"
            )


def _kept(chunks: Iterator[Rows], keep: Callable[[Rows], None]) -> Iterator[Rows]:
    for rows in chunks:
        keep(rows)
        yield rows


def _chunk(pile: Pile, lo: int, hi: int, put: Put[Rows]) -> None:
    put(pile.read(lo, hi))


def _batch(pile: Pile, plan: Plan, clock: int, put: Put[Batch]) -> None:
    number = number_of(plan, clock)
    at = plan.piece(number)
    rows = pile.read(at.start, at.stop)
    put(made(rows, cut_columns(rows.X), plan, number, clock))
