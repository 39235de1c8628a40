"""A table's specification: what an app declares, and every process of the run builds again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from yarnml.errors import UsageError
from yarnml.ps.functions import Add, Function
from yarnml.ps.init import Init, zeros

DTYPES = ("float32", "float64", "int32", "int64")


@dataclass(frozen=True)
class TableSpec:
    """A table of `shape` (rows, width). Rows are the long axis: they are what is sharded, asked for and sent.

    staleness: how many clocks old a read may be; 0 is bulk-synchronous, None unbounded, "run" what the run says.
    push: "eager" sends changed rows to the workers that read them when the slowest clock moves; "lazy" waits for a get.
    wire: "exact", or "float16" for half the bytes: increments are rounded, and what that takes off them is kept by the
    worker and sent with the next to the same rows, the last of it as its work returns. Reads are rounded, but for those
    of workers whose work has returned.
    """

    name: str
    shape: tuple[int, int]
    dtype: str = "float32"
    init: Init = field(default_factory=zeros)
    function: Function = field(default_factory=Add)
    staleness: int | Literal["run"] | None = "run"
    push: Literal["eager", "lazy"] = "eager"
    wire: Literal["exact", "float16"] = "exact"

    def __post_init__(self) -> None:
        rows, width = self.shape
        if rows < 1 or width < 1:
            raise UsageError(f"table {self.name!r} of shape {self.shape}: rows and width must be at least 1")
        if self.dtype not in DTYPES:
            raise UsageError(f"table {self.name!r} of dtype {self.dtype!r}: must be one of {', '.join(DTYPES)}")
        if isinstance(self.staleness, int) and self.staleness < 0:
            raise UsageError(f"table {self.name!r} of staleness {self.staleness}: must be 0 or more, or None")
        self._check_function()
        if self.wire not in ("exact", "float16"):
            raise UsageError(f'table {self.name!r} of wire {self.wire!r}: must be "exact" or "float16"')
        if self.rounds and (self.numpy_dtype.kind != "f" or not self.function.adds):
            raise UsageError(
                f"table {self.name!r} of {self.dtype} and {self.function!r}: only floating increments that add up can "
                f'travel as float16; leave wire at "exact"'
            )

    def _check_function(self) -> None:
        function, of = self.function, f"table {self.name!r} of function {self.function!r}"
        if not isinstance(function, Function):
            raise UsageError(f"{of}: what projects or shrinks follows one, as in Then(Add(), NonNegative())")
        unfit = function.unfit(self.numpy_dtype.kind)
        if unfit:
            raise UsageError(f"{of}: {unfit} makes no sense of {self.dtype}; take float32 or float64")
        for name, array in function.state((1, self.width), self.numpy_dtype).items():
            if not isinstance(array, np.ndarray) or array.shape[:1] != (1,):
                raise UsageError(f"{of}: the first axis of its state {name!r} must be the rows'")

    @property
    def rows(self) -> int:
        return self.shape[0]

    @property
    def width(self) -> int:
        return self.shape[1]

    @cached_property
    def numpy_dtype(self) -> np.dtype[Any]:
        return np.dtype(self.dtype)

    @property
    def rounds(self) -> bool:
        """Values lose digits on the wire."""
        return self.wire != "exact"

    @property
    def plain(self) -> bool:
        """What a worker adds in a clock leaves at its end, whole: another process can go on in its place after it."""
        return self.staleness is not None and not self.rounds

    @property
    def pulls(self) -> bool:
        """A row read in one clock must be read again in the next: it is unbounded, or own increments can't be added
        to an old reading because only the server can apply them."""
        return self.staleness is None or (self.staleness != 0 and not self.function.local)

    @property
    def pushes(self) -> bool:
        """Servers send changed rows unasked."""
        return self.push == "eager" and not self.pulls


def resolve(specs: Sequence[TableSpec], staleness: int | None) -> tuple[TableSpec, ...]:
    """The tables with the run's staleness where they don't say their own."""
    names = [spec.name for spec in specs]
    if len(set(names)) < len(names):
        raise UsageError(f"two tables have the same name: {', '.join(names)}")
    return tuple(replace(s, staleness=staleness) if s.staleness == "run" else s for s in specs)


def bounds(rows: int, servers: int) -> tuple[int, ...]:
    """Server k holds the rows [bounds[k], bounds[k + 1])."""
    return tuple(k * rows // servers for k in range(servers + 1))
