"""Independent: never two parameters in one round that depend on each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from numpy.typing import NDArray
from scipy.sparse import csc_array

from yarnml.sched.picks import Index


@final
@dataclass(frozen=True)
class Independent:
    """Puts off a candidate whose column correlates by more than `rho` with one that was kept before it.

    `columns(numbers)`: (s, k) numbers that say what depends on what: of each parameter its column of data, on s
    sampled rows, the same on every worker; `sampled(me).columns` makes them of a run's rows. Two sparse columns must
    also meet in some rows. It may be called in another thread. `memory`: bytes of what is known of pairs. Correlations
    of s rows err by about 1 / sqrt(s).
    """

    columns: Callable[[Index], NDArray[Any] | csc_array]
    rho: float = 0.2
    memory: int = 64 << 20
