"""A function: how an increment changes rows, and how two increments become one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from yarnml.errors import UsageError
from yarnml.kernels import rows as kernels
from yarnml.wire.frozen import frozen

Array = npt.NDArray[Any]
State = dict[str, Array]
Where = slice | npt.NDArray[np.int64]  # consecutive rows, or rows listed at most once each, increasing


@final
@frozen()
class Increment:
    """What is to be done to some rows of a block."""

    rows: Where
    delta: Array  # (len(rows), width)
    share: float = 1.0  # the part of a clock's increments that this is: 1 for all workers' together, else 1 / workers
    seen: Array | None = None  # (len(rows), width): see `Function.remembers`; None: all that there is


class Function(ABC):
    """Works on blocks of rows; is the same on every server, so it keeps what it must remember in `state`."""

    local: ClassVar[bool] = False
    """No state is needed, and increments may be applied one by one: a worker sees its own before the server has them.
    Otherwise the sum of all workers' increments of a clock is applied once (staleness 0)."""

    ordered: ClassVar[bool] = False
    """Increments of one worker don't commute."""

    kinds: ClassVar[str] = "f"
    """numpy's kinds of the numbers for which it makes sense: "f" floating, "i" whole."""

    @property
    def adds(self) -> bool:
        """Increments to the same row add up before they are applied."""
        return type(self).combine is Function.combine

    @property
    def remembers(self) -> str | None:
        """The state, by name, of which `apply` is told what it was when the worker read the rows (staleness > 0)."""
        return None

    def unfit(self, kind: str) -> str:
        """What can't work on numbers of this numpy kind, by name; "" if all of it can."""
        return "" if kind in self.kinds else type(self).__name__

    def state(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> State:  # noqa: ARG002
        """Arrays that the server keeps beside rows of `shape`, by name. The first axis of each is the rows', so that
        these can be cut anywhere; they are all that is kept."""
        return {}

    @abstractmethod
    def apply(self, values: Array, state: State, inc: Increment) -> None:
        """Change `values[inc.rows]` and `state` in place."""

    def rate(self, state: State, rows: Where) -> Array | float:  # noqa: ARG002
        """How far the last `apply` has moved each number of these rows for a unit of its increment; 1 where increments
        are steps already. A proximal step that follows takes it as its size."""
        return 1.0

    def blank(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
        """Increments of no effect, for `combine` to begin with."""
        return np.zeros(shape, dtype)

    def combine(self, into: Array, rows: Where, delta: Array) -> None:
        """Merge increments `delta` into the increments `into[rows]`; here rows may repeat."""
        if isinstance(rows, slice):
            kernels.add(into[rows], delta)
        else:
            kernels.add_rows(into, rows, delta)


def within(owner: object, low: float = 0.0, high: float = np.inf, **numbers: float) -> None:
    """Raise UsageError for a number that isn't in [low, high)."""
    for name, number in numbers.items():
        if not low <= number < high:
            most = f" and below {high:g}" if high < np.inf else ", and finite"
            raise UsageError(f"{type(owner).__name__}: {name} is {number!r}; it must be at least {low:g}{most}")


def positive(owner: object, **numbers: float) -> None:
    """Raise UsageError for a number that isn't above 0 and finite."""
    for name, number in numbers.items():
        if not 0 < number < np.inf:
            raise UsageError(f"{type(owner).__name__}: {name} is {number!r}; it must be above 0, and finite")
