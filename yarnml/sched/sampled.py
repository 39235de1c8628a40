"""Sampled: columns of some of a run's rows, the same on every worker: what dependency is measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from hdfs_io import CSR, Rows
from yarnml.kernels.uniform import uniform
from yarnml.sched.picks import Index

if TYPE_CHECKING:
    from collections.abc import Iterable

PURPOSE = 0x5C4ED  # of the random numbers that take rows
ROWS, MEMORY = 1000, 64 << 20


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

    def columns(self, numbers: Index) -> NDArray[np.float32]:
        """(s, k) float32."""
        found = self._X[:, numbers]
        dense: NDArray[np.float32] = found if isinstance(found, np.ndarray) else found.toarray()
        return dense


def sampled(me: Shares, rows: int = ROWS, memory: int = MEMORY) -> Sampled:
    """About so many rows of the run, fewer if they take more bytes; all workers call it together.

    Which rows depends on the seed and their global numbers, not on who reads them.
    """
    width = max(1, me.schema.width)
    if not me.schema.sparse:
        rows = max(1, min(rows, memory // (4 * width)))
    part = rows / max(1, me.rows)
    mine = [_drawn(me, chunk, part) for chunk in _chunks(me)]
    if not me.schema.sparse:
        X = [np.asarray(x, np.float32) for x in mine] or [np.zeros((0, width), np.float32)]
        return Sampled(np.concatenate(me.gather(np.concatenate(X))))
    own = vstack([csr_array((0, width), dtype=np.float32), *mine], format="csr", dtype=np.float32)
    keep = int(np.searchsorted(own.indptr, memory // 8 * max(1, len(own.indptr) - 1) / rows, side="right")) - 1
    own = own[: max(0, min(keep, own.shape[0]))]
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
