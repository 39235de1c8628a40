"""Share: the rows of one worker in one part of the data: gone through in chunks, or in batches again and again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Dataset, Rows
from yarnml.app.batch import Batch
from yarnml.app.plan import Plan

CHUNK = 2 << 20  # bytes of rows in a chunk: fixed, so that sums over chunks don't depend on the memory
WIDE = 4096  # features from which it pays to ask a table only for the rows that a batch touches


class Share(ABC):
    """Possibly empty. Where its rows are, in memory or on disk, changes nothing that is computed from them."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def renew(self) -> None:
        """As if there had been no batches: the worker begins again, and is to find what it found before."""

    @abstractmethod
    def chunks(self) -> Iterator[Rows]:
        """Every row once: in the data set's order, and once there were batches in the order that these are cut from.

        At least one chunk, which is empty if the share is.
        """

    @abstractmethod
    def batches(self, plan: Plan, clock: int, end: int) -> Generator[Batch, None, None]:
        """The batches of the clocks [clock, end): a function of the plan and the clock alone. One plan a share."""


def chunk_rows(dataset: Dataset) -> int:
    """Rows of a chunk of this data set."""
    return max(1, CHUNK // dataset.row_bytes)


Cut = tuple[NDArray[np.float32] | CSR, NDArray[np.int64] | None]


def made(rows: Rows, cut: Cut, plan: Plan, number: int, clock: int) -> Batch:
    """Piece `number` of the plan, which are these rows, as the batch of `clock`."""
    epoch, step = divmod(clock, plan.steps)
    X, columns = cut
    first, every = plan.piece(number).start, plan.rows / plan.steps
    return Batch(X, rows.y, rows.weight, columns, first, every, epoch, step, plan.steps, rows.user, rows.item)


def cut_columns(X: NDArray[np.float32] | CSR) -> Cut:
    """A batch's matrix, and the table rows it touches where those are far fewer than all."""
    if not isinstance(X, CSR) or X.width < WIDE:
        return X, None
    used = X.columns()
    if 2 * len(used) > X.width:
        return X, None
    place = np.empty(X.width, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return CSR(X.indptr, place[X.indices], X.values, len(used)), np.append(used, X.width)


def number_of(plan: Plan, clock: int) -> int:
    """Which piece of the plan is taken at a clock."""
    epoch, step = divmod(clock, plan.steps)
    return int(plan.order(epoch)[step])


def sliced(rows: Rows, size: int) -> Iterator[Rows]:
    """Views of the rows, `size` at a time; at least one."""
    for lo in range(0, max(1, len(rows)), size):
        yield rows.slice(lo, min(lo + size, len(rows)))
