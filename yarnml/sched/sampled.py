"""Sampled: columns of some of a run's rows, the same on every worker: what dependency is measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack

from hdfs_io import CSR, Rows
from yarnml.kernels.uniform import uniform
from yarnml.sched.picks import Index

if TYPE_CHECKING:
    from collections.abc import Iterable

PURPOSE = 0x5C4ED  # of the random numbers that take rows
ROWS, MEMORY = 1000, 64 << 20
VALUE = 4  # bytes of a number, and of its column's


class Shares(Protocol):
    """What it needs of a worker."""

    seed: int

    @property
    def rows(self) -> int: ...
    @property
    def share(self) -> Any: ...
    @property
    def schema(self) -> Any: ...
    def gather(self, x: Any) -> list[NDArray[Any]]: ...


@final
class Sampled:
    """Rows (s, n), kept by column."""

    def __init__(self, X: NDArray[np.float32] | csr_array) -> None:
        self._X: Any = np.asfortranarray(X) if isinstance(X, np.ndarray) else X.tocsc()

    def columns(self, numbers: Index) -> NDArray[np.float32] | csc_array:
        """(s, k) float32, sparse if the rows are."""
        found: NDArray[np.float32] | csc_array = self._X[:, numbers]
        return found


def sampled(me: Shares, rows: int | None = None, memory: int = MEMORY) -> Sampled:
    """About so many rows of the run, fewer if they take more bytes; all workers call it together.

    `rows`: None for 1,000 if they are dense, for as many as `memory` takes if they are sparse: few of them say little
    of a column. Which rows depends on the seed and their global numbers, not on who reads them.
    """
    wanted = rows or (me.rows if me.schema.sparse else ROWS)
    part = min(wanted, memory / _size(me)) / max(1, me.rows)
    mine = [_drawn(me, chunk, part) for chunk in _chunks(me)]
    return _of_sparse(me, mine) if me.schema.sparse else _of_dense(me, mine)


def _size(me: Shares) -> float:
    """Bytes of a row; of sparse ones, of the mean row of all."""
    if not me.schema.sparse:
        return VALUE * float(max(1, me.schema.width))
    values = sum(len(rows.X.values) for rows in _chunks(me) if isinstance(rows.X, CSR))
    all_values = np.concatenate(me.gather(np.array([values]))).sum()
    return 2 * VALUE * (1 + float(all_values) / max(1, me.rows))


def _of_dense(me: Shares, mine: list[Any]) -> Sampled:
    X = [np.zeros((0, me.schema.width), np.float32), *(np.asarray(x, np.float32) for x in mine)]
    return Sampled(np.concatenate(me.gather(np.concatenate(X))))


def _of_sparse(me: Shares, mine: list[Any]) -> Sampled:
    width = max(1, me.schema.width)
    own = vstack([csr_array((0, width), dtype=np.float32), *mine], format="csr", dtype=np.float32)
    counts, indices, values = (me.gather(x) for x in (np.diff(own.indptr), own.indices, own.data))
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return Sampled(csr_array((np.concatenate(values), np.concatenate(indices), indptr), (len(indptr) - 1, width)))


def _chunks(me: Shares) -> Iterable[Rows]:
    found: Iterable[Rows] = me.share.chunks()
    return found


def _drawn(me: Shares, rows: Rows, part: float) -> Any:
    if part < 1:
        rows = rows.take(np.flatnonzero(uniform(me.seed, PURPOSE, rows.number) < part))
    return rows.X.to_scipy() if isinstance(rows.X, CSR) else rows.X
