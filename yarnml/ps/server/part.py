"""A part: the rows of one table that one server holds, and which of them which worker holds too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.kernels import rows as kernels
from yarnml.ps.checkpoint.origin import Chunk, Origin
from yarnml.ps.functions.function import Where
from yarnml.ps.managed import Managed, sizes
from yarnml.ps.patches import merge
from yarnml.ps.rounding import rounded
from yarnml.ps.server.blocks import Blocks, Loan
from yarnml.ps.server.holdings import Holdings
from yarnml.ps.spec import TableSpec
from yarnml.wire.frames import WireError
from yarnml.wire.frozen import frozen
from yarnml.wire.message import Get, Patch

Array = npt.NDArray[Any]


@final
@frozen()
class Reading:
    """Rows to send, which number of sending this is, and what is lent for it."""

    number: int
    values: tuple[Array, ...]
    exponents: tuple[int, ...]  # see `Rows`
    loan: Loan


@final
class Part:
    """Rows [start, stop) of the table `spec`, whose staleness is resolved."""

    def __init__(
        self, spec: TableSpec, start: int, stop: int, *,
        workers: int, seed: int, origin: Origin, managed: Managed | None = None,
    ) -> None:  # fmt: skip
        self.spec = spec
        self._start, self._stop = start, stop
        self._share = 1 / workers
        self._blocks = Blocks(spec, start, stop, seed)
        self._blocks.restore(origin.chunks(spec, start, stop))
        self.managed = managed if managed is not None and managed.manages(spec) else None
        self.exact = spec.staleness == 0
        self.by_message = spec.staleness is None or self.managed is not None  # own increments in rows are told by it
        self._ranked = self.managed is not None and spec.pushes
        self._holdings = [Holdings(start, stop, self._ranked) for _ in range(workers if spec.pushes else 0)]
        self._remembers = not self.exact and spec.function.remembers is not None
        self._rounds = spec.rounds
        self._rng = np.random.default_rng(seed)
        self._sent = [0] * workers  # Rows
        self._newest = -1  # clock of any increment that is applied

    # ---- increments

    def apply_one(self, patch: Patch, worker: int, clock: int, mark: int | None) -> None:
        """One worker's increments of `clock`; not for a checkpoint at `mark` if that is no later."""
        self._apply(patch, self._share, clock, mark, worker)

    def ended(self, worker: int) -> None:
        """The worker has ended a clock: it reads anew whatever it reads."""
        self._blocks.forget(worker)

    def apply_all(self, patches: list[Patch], clock: int, mark: int | None) -> None:
        """All workers' increments of `clock`, in worker order."""
        for patch in patches if self.spec.function.local else merge(self.spec.function, patches):
            self._apply(patch, 1.0, clock, mark)

    def _apply(self, patch: Patch, share: float, clock: int, mark: int | None, worker: int = -1) -> None:
        self._newest = max(self._newest, clock)
        self._blocks.apply(patch, share, late=mark is not None and clock >= mark, worker=worker)
        moved = sizes(patch.values) if self._ranked else None
        for holdings in self._holdings:
            rows: Where = slice(patch.start, patch.start + len(patch.values)) if patch.rows is None else patch.rows
            holdings.touch(rows, moved)

    # ---- reads

    def read(self, where: Where, worker: int, keeps: bool, push: bool = False) -> Reading:
        """Rows for a worker, which from now on holds them if it `keeps` any: it doesn't once its work has returned."""
        if self._holdings and keeps:
            self._holdings[worker].sent(where, push)
        if self._remembers and keeps:
            self._blocks.remember(worker, where)
        self._sent[worker] = number = self._sent[worker] + 1
        if isinstance(where, slice):
            values, loan = self._blocks.lend(where.start, where.stop)
        else:
            values, loan = (self._blocks.gather(where),), ()
        if not (self._rounds and keeps):
            return Reading(number, values, (), loan)
        blocks, exponents = zip(*map(rounded, values), strict=True) if values else ((), ())
        self.returned(loan)
        return Reading(number, blocks, exponents, ())

    def returned(self, loan: Loan) -> None:
        """What was lent has been read."""
        self._blocks.returned(loan)

    def due(self) -> Iterator[tuple[int, Where]]:
        """(worker, rows that it holds and that changed) for each worker that holds any, and is told unasked."""
        for worker, holdings in enumerate(self._holdings):
            if holdings.any and not self._ranked:
                yield worker, holdings.due()

    def behind(self, worker: int) -> Where:
        """The rows that a worker holds and that changed."""
        return self._holdings[worker].due() if self._holdings else slice(self._start, self._start)

    def best(self, worker: int, room: float) -> npt.NDArray[np.int64]:
        """As many of these as there is room for in so many bytes, those to be sent first; of managed tables."""
        size = 8 + self.spec.width * self.spec.numpy_dtype.itemsize
        n = int(room / size)
        if self.managed is None or not self._ranked or not n:
            return np.zeros(0, np.int64)
        rows = self._holdings[worker].changed()
        if not len(rows) or room < min(self.managed.chunk, len(rows) * size):
            return rows[:0]
        norms = sizes(self._blocks.gather(rows))
        return self._holdings[worker].best(rows, n, self.managed.order, norms, self._rng)

    def release(self, worker: int, rows: npt.NDArray[np.int64]) -> None:
        """The worker holds these rows no more. Raises WireError if they aren't here."""
        if not self._has(rows, 0, 0):
            raise WireError(f"rows of table {self.spec.name!r} are let go that are not [{self._start}, {self._stop})")
        if self._holdings:
            self._holdings[worker].release(rows)

    def drop(self, worker: int) -> None:
        """The worker holds nothing any more."""
        if self._holdings:
            self._holdings[worker].drop()

    def restart(self, worker: int) -> None:
        """The worker is another process, which has been sent nothing."""
        self.drop(worker)
        self._blocks.forget(worker)
        self._sent[worker] = 0

    # ---- checkpoints

    def too_late(self, clock: int) -> bool:
        """Whether increments of `clock` or later are in already."""
        return self._newest >= clock

    def snapshot(self) -> tuple[tuple[Chunk, ...], Loan]:
        """See `Blocks.snapshot`."""
        return self._blocks.snapshot()

    def unmark(self) -> None:
        """See `Blocks.unmark`."""
        self._blocks.unmark()

    # ---- what may be asked

    def check_patch(self, p: Patch) -> None:
        """Raise WireError if these can't be increments of these rows."""
        name = self.spec.name
        if p.values.dtype != self.spec.numpy_dtype or p.values.shape[1] != self.spec.width:
            raise WireError(f"an increment of {p.values.dtype} {p.values.shape} for table {name!r}")
        if not self._has(p.rows, p.start, p.start + len(p.values)):
            raise WireError(f"an increment of rows of table {name!r} that are not [{self._start}, {self._stop})")

    def check_get(self, get: Get) -> None:
        """Raise WireError if it asks for rows that aren't here."""
        if not self._has(get.rows, get.start, get.stop):
            raise WireError(f"a get of rows of table {self.spec.name!r} that are not [{self._start}, {self._stop})")

    def _has(self, rows: npt.NDArray[np.int64] | None, start: int, stop: int) -> bool:
        if rows is None:
            return self._start <= start <= stop <= self._stop
        return bool(kernels.increasing(rows, self._start, self._stop))
