"""Blocks: the rows of one table that a server holds, in pieces that can be lent to the wire while they stand still.

A lent block is not written to: the next increment goes to a copy (copy on write), and the lent buffer comes back to a
small pool. So a reply of a megabyte costs no copy unless the same megabyte changes while it is on its way.

A checkpoint holds what belongs to clocks before its own. Whoever is ahead isn't kept waiting: the first increment that
comes too late for it leaves an image of its block as it was, and what still belongs in is then applied to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.kernels import rows as kernels
from yarnml.ps.checkpoint.origin import Chunk
from yarnml.ps.functions import Increment
from yarnml.ps.functions.function import State, Where
from yarnml.ps.server.seen import Seen
from yarnml.ps.spec import TableSpec
from yarnml.wire.message import Patch

Array = npt.NDArray[Any]
Index = npt.NDArray[np.int64]
BLOCK = 1 << 20  # bytes of a block at most
NARROW = 1 << 8  # bytes of a row up to which rows come in long lists, that take a call for each block that they touch:
NARROW_BLOCK = 1 << 23  # bytes of their blocks
LENT = 1 << 16  # bytes from which on lending beats copying
POOL = 8  # buffers kept for copies to come


@final
class Buffer:
    """The memory of one block, and how many messages on their way read it."""

    __slots__ = ("array", "loans", "replaced")

    def __init__(self, array: Array) -> None:
        self.array = array
        self.loans = 0
        self.replaced = False  # by a copy that was written to


Loan = tuple[Buffer, ...]


@final
class Blocks:
    """Rows [start, stop) of a table with their function's state."""

    def __init__(self, spec: TableSpec, start: int, stop: int, seed: int, block: int | None = None) -> None:
        """`block`: bytes of one at most."""
        self.start, self.stop = start, stop
        self._function = spec.function
        row = spec.width * spec.numpy_dtype.itemsize
        block = block or (NARROW_BLOCK if row <= NARROW else BLOCK)
        self._height = max(1, min(stop - start, block // row))  # rows of a block
        self._blocks: list[Buffer] = []
        self._state: list[State] = []
        for low in range(start, stop, self._height):
            shape = (min(low + self._height, stop) - low, spec.width)
            values = np.empty(shape, spec.numpy_dtype)
            values[:] = spec.init.rows(seed, spec.name, low, low + shape[0], spec.width)
            self._blocks.append(Buffer(values))
            self._state.append(spec.function.state(shape, spec.numpy_dtype))
        self._borders: Index = start + self._height * np.arange(len(self._blocks) + 1)
        self._no_rows = np.empty((0, spec.width), spec.numpy_dtype)
        self._pool: list[Array] = []
        self._seen: dict[int, Seen] = {}  # what a worker has read, of functions that want to know
        self._images: dict[int, tuple[Array, State]] = {}  # blocks as a checkpoint wants them

    def apply(self, patch: Patch, share: float, late: bool = False, worker: int = -1) -> None:
        """Change the rows of a patch by the table's function. `late`: for the checkpoint that is to be made; `worker`:
        whose alone it is, and so may build on what was there when it read."""
        where = slice(patch.start, patch.start + len(patch.values)) if patch.rows is None else patch.rows
        seen = self._seen[worker].at(where, self._remembered(where)) if worker in self._seen else None
        for b, rows, cut in self._places(where):
            then = None if seen is None else seen[cut]
            self._change(b, Increment(rows, patch.values[cut], share, then), late)

    def _change(self, b: int, inc: Increment, late: bool) -> None:
        values, state = self._writable(b), self._state[b]
        if late and b not in self._images:
            self._images[b] = values.copy(), _copied(state)
        elif not late and b in self._images:
            self._function.apply(*self._images[b], inc)
        self._function.apply(values, state, inc)

    def remember(self, worker: int, where: Where) -> None:
        """A worker is sent these rows, and the function wants to know what its state was then."""
        self._seen.setdefault(worker, Seen()).note(where, self._remembered(where))

    def forget(self, worker: int) -> None:
        """What a worker has read matters no more."""
        self._seen.pop(worker, None)

    def _remembered(self, where: Where) -> Array:
        """A copy of the state that the function remembers, of these rows."""
        name = self._function.remembers
        assert name is not None
        pieces = [self._state[b][name][rows] for b, rows, _ in self._places(where)]
        return np.concatenate([self._no_rows, *pieces])

    def snapshot(self) -> tuple[tuple[Chunk, ...], Loan]:
        """All rows as the checkpoint wants them, and the loan to give back when they have been read: values that
        stand as they should are lent. The next checkpoint may begin."""
        chunks: list[Chunk] = []
        loan: Loan = ()
        for b in range(len(self._blocks)):
            low = self.start + b * self._height
            if b in self._images:
                values, state = self._images[b]
            else:
                (values,), lent = self.lend(low, low + len(self._blocks[b].array))
                state, loan = _copied(self._state[b]), loan + lent
            chunks.append(Chunk(low, values, state))
        self.unmark()
        return tuple(chunks), loan

    def unmark(self) -> None:
        """No checkpoint is to be made."""
        self._images.clear()

    def restore(self, chunks: Iterable[Chunk]) -> None:
        """Take over rows, and their state where chunks have it; before anything was lent."""
        for chunk in chunks:
            for b, low, high in self._cut(chunk.start, chunk.start + len(chunk.values)):
                first = self.start + b * self._height
                here, there = slice(low - first, high - first), slice(low - chunk.start, high - chunk.start)
                self._blocks[b].array[here] = chunk.values[there]
                for name, array in chunk.state.items():
                    self._state[b][name][here] = array[there]

    def lend(self, start: int, stop: int) -> tuple[tuple[Array, ...], Loan]:
        """Rows [start, stop) as pieces, and the loan to give back when they have been read. Small ones are copies, and
        no loan; what is lent is read-only."""
        pieces: tuple[Array, ...] = ()
        loan: Loan = ()
        at, end, height = start - self.start, stop - self.start, self._height
        while at < end:
            b, low = divmod(at, height)
            high = min(height, low + end - at)
            at += high - low
            buffer = self._blocks[b]
            piece = buffer.array[low:high]
            if piece.nbytes < LENT:
                piece = piece.copy()
            else:
                piece.flags.writeable = False
                buffer.loans += 1
                loan += (buffer,)
            pieces += (piece,)
        return pieces, loan

    def returned(self, loan: Loan) -> None:
        """What was lent has been read."""
        for buffer in loan:
            buffer.loans -= 1
            assert buffer.loans >= 0, "returned more often than lent"
            if buffer.replaced and not buffer.loans and len(self._pool) < POOL:
                self._pool.append(buffer.array)

    def gather(self, rows: Index) -> Array:
        """A copy of the rows listed, which increase."""
        out = np.empty((len(rows), self._no_rows.shape[1]), self._no_rows.dtype)
        for b, local, cut in self._spread(rows):
            kernels.gather(self._blocks[b].array, local, out[cut])
        return out

    def live(self) -> Array:
        """All rows in one read-only view that changes with them; for blocks made as one."""
        (buffer,) = self._blocks
        view = buffer.array.view()
        view.flags.writeable = False
        return view

    def _cut(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """(block, first row, row after the last) of the pieces of [start, stop)."""
        while start < stop:
            b = (start - self.start) // self._height
            end = min(stop, self.start + (b + 1) * self._height)
            yield b, start, end
            start = end

    def _places(self, where: Where) -> Iterator[tuple[int, Where, slice]]:
        """(block, rows in it, which of all rows these are) for each block that holds some."""
        if isinstance(where, slice):
            for b, low, high in self._cut(where.start, where.stop):
                first = self.start + b * self._height
                yield b, slice(low - first, high - first), slice(low - where.start, high - where.start)
        else:
            yield from self._spread(where)

    def _spread(self, rows: Index) -> Iterator[tuple[int, Index, slice]]:
        """The same of rows that are listed and increase."""
        if not len(rows):
            return
        first, last = ((int(rows[i]) - self.start) // self._height for i in (0, -1))
        cuts = rows.searchsorted(self._borders[first : last + 2]).tolist()
        for b, (low, high) in enumerate(pairwise(cuts), first):
            if low < high:
                yield b, rows[low:high] - self._borders[b], slice(low, high)

    def _writable(self, b: int) -> Array:
        buffer = self._blocks[b]
        if not buffer.loans:
            return buffer.array
        fits = [i for i, spare in enumerate(self._pool) if spare.shape == buffer.array.shape]
        fresh = self._pool.pop(fits[-1]) if fits else np.empty_like(buffer.array)
        np.copyto(fresh, buffer.array)
        buffer.replaced = True
        self._blocks[b] = Buffer(fresh)
        return fresh


def _copied(state: State) -> State:
    return {name: array.copy() for name, array in state.items()}
