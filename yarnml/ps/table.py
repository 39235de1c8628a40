"""A table, as an app sees it, and the tables of a run together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from yarnml.errors import UsageError, nearest
from yarnml.ps.keys import Rows
from yarnml.ps.spec import TableSpec

Array = npt.NDArray[Any]


class Table(ABC):
    """A 2-d array of parameters by row, shared by all workers.

    `rows` is None (all), an int (one, as a vector), a slice, or a list of ints in any order, repeats allowed.
    Raises IndexError, TypeError or ValueError naming the table and its shape where rows or increments don't fit it,
    and PeerLost where servers don't answer.
    """

    def __init__(self, spec: TableSpec) -> None:
        self.spec = spec
        self.name = spec.name
        self.shape = spec.shape
        self.dtype: np.dtype[Any] = spec.numpy_dtype
        self.ended = False  # the worker's work has returned

    @abstractmethod
    def get(self, rows: Rows = None) -> Array:
        """Rows (len(rows), width) as fresh as the table's staleness demands. Read-only; valid until the next clock."""

    @abstractmethod
    def inc(self, rows: Rows, delta: Array) -> None:
        """Add `delta` (len(rows), width) by the table's function. The array is the table's from now on.

        Raises UsageError once the worker's work has returned.
        """

    @abstractmethod
    def prefetch(self, rows: Rows = None) -> None:
        """Ask for rows that `get` will want in this clock, without waiting."""


class Tables(ABC):
    """All tables of a run, and the worker's clock."""

    clock_now: int
    """The clock that runs: how many the worker has ended."""

    @abstractmethod
    def table(self, name: str) -> Table:
        """The table of this name; raises UsageError with the nearest name."""

    @property
    @abstractmethod
    def sent_bytes(self) -> int:
        """Bytes of all increments that have left this process."""

    @property
    @abstractmethod
    def received_bytes(self) -> int:
        """Bytes of all rows that have come to it."""

    @property
    @abstractmethod
    def staleness_seen(self) -> int:
        """The most clocks by which a read, of any table, lacked other workers' increments; 0 is bulk-synchronous."""

    @abstractmethod
    def clock(self) -> None:
        """End the clock: what was added in it leaves, whole. Raises UsageError once the work has returned."""

    @abstractmethod
    def flush(self) -> None:
        """Wait until servers have taken everything that was sent."""

    def copied(self) -> Callable[[str], None]:
        """What writes this process's rows, as of the clock that begins, to a checkpoint's directory: none, if servers
        hold them."""
        return lambda _: None

    @abstractmethod
    def end(self) -> None:
        """The worker's work has returned: it is at clock infinity, and nobody waits for its clocks again.

        What was added leaves. From now on there are only reads, which see all that any worker ever adds, whatever the
        staleness, and so wait until the work of all has returned.
        """

    @abstractmethod
    def finish(self) -> None:
        """Nothing is read any more; ends before what hasn't ended. Everything that was added has been taken."""


def refuse_late(ended: bool, what: str) -> None:
    """Raise UsageError for what only a worker at work may do."""
    if ended:
        raise UsageError(f"{what} after the worker's work has returned: from then on tables can only be read")


def named(tables: dict[str, Any], name: str) -> Any:
    """`tables[name]`, or the error that a misspelt name deserves."""
    try:
        return tables[name]
    except KeyError:
        raise UsageError(f"no table {name!r}{nearest(name, tables)}") from None
