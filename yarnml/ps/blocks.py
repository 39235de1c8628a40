"""Blocks: the rows of one table that a server holds, in pieces that can be lent to the wire while they stand still.

A lent block is not written to: the next increment goes to a copy (copy on write), and the lent buffer comes back to a
small pool. So a reply of a megabyte costs no copy unless the same megabyte changes while it is on its way.

A checkpoint holds what belongs to clocks before its own. Whoever is ahead isn't kept waiting: the first increment that
comes too late for it leaves an image of its block as it was, and what still belongs in is then applied to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.kernels import rows as kernels
from yarnml.ps.functions.function import Where
from yarnml.ps.origin import Chunk, State
from yarnml.ps.spec import TableSpec
from yarnml.wire.message import Patch

Array = npt.NDArray[Any]
BLOCK = 1 << 20  # bytes of a block at most
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

    def __init__(self, spec: TableSpec, start: int, stop: int, seed: int, block: int = BLOCK) -> None:
        self.start, self.stop = start, stop
        self._function = spec.function
        self._height = max(1, min(stop - start, block // (spec.width * spec.numpy_dtype.itemsize)))  # rows of a block
        self._blocks: list[Buffer] = []
        self._state: list[State] = []
        for low in range(start, stop, self._height):
            shape = (min(low + self._height, stop) - low, spec.width)
            values = np.empty(shape, spec.numpy_dtype)
            values[:] = spec.init.rows(seed, spec.name, low, low + shape[0], spec.width)
            self._blocks.append(Buffer(values))
            self._state.append(spec.function.state(shape, spec.numpy_dtype))
        self._pool: list[Array] = []
        self._images: dict[int, tuple[Array, State]] = {}  # blocks as a checkpoint wants them

    def apply(self, patch: Patch, share: float, late: bool = False) -> None:
        """Change the rows of a patch by the table's function. `late`: for the checkpoint that is to be made."""
        if patch.rows is None:
            for b, low, high in self._cut(patch.start, patch.start + len(patch.values)):
                first = self.start + b * self._height
                delta = patch.values[low - patch.start : high - patch.start]
                self._change(b, slice(low - first, high - first), delta, share, late)
            return
        for b, cut in self._spread(patch.rows):
            self._change(b, patch.rows[cut] - (self.start + b * self._height), patch.values[cut], share, late)

    def _change(self, b: int, rows: Where, delta: Array, share: float, late: bool) -> None:
        values, state = self._writable(b), self._state[b]
        if late and b not in self._images:
            self._images[b] = values.copy(), _copied(state)
        elif not late and b in self._images:
            self._function.apply(*self._images[b], rows, delta, share)
        self._function.apply(values, state, rows, delta, share)

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
        """Rows [start, stop) as read-only pieces, and the loan to give back when they have been read. Small ones are
        copies, and no loan."""
        views: list[Array] = []
        loan: list[Buffer] = []
        for b, low, high in self._cut(start, stop):
            first = self.start + b * self._height
            view = self._blocks[b].array[low - first : high - first]
            if view.nbytes < LENT:
                view = view.copy()
            else:
                self._blocks[b].loans += 1
                loan.append(self._blocks[b])
            view.flags.writeable = False
            views.append(view)
        return tuple(views), tuple(loan)

    def returned(self, loan: Loan) -> None:
        """What was lent has been read."""
        for buffer in loan:
            buffer.loans -= 1
            assert buffer.loans >= 0, "returned more often than lent"
            if buffer.replaced and not buffer.loans and len(self._pool) < POOL:
                self._pool.append(buffer.array)

    def gather(self, rows: npt.NDArray[np.int64]) -> Array:
        """A copy of the rows listed, which increase."""
        one = self._blocks[0].array if self._blocks else np.empty((0, 1))
        out = np.empty((len(rows), one.shape[1]), one.dtype)
        for b, cut in self._spread(rows):
            kernels.gather(self._blocks[b].array, rows[cut] - (self.start + b * self._height), out[cut])
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

    def _spread(self, rows: npt.NDArray[np.int64]) -> Iterator[tuple[int, slice]]:
        """(block, which of the rows) for each block that holds some."""
        if len(self._blocks) == 1:
            yield 0, slice(None)
            return
        block = (rows - self.start) // self._height
        cuts = np.flatnonzero(np.diff(block, prepend=-1, append=-1))
        for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            yield int(block[low]), slice(low, high)

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
