"""An origin: what rows are at the start if not what their table's init says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.errors import UsageError
from yarnml.ps.functions.function import State
from yarnml.ps.spec import TableSpec

Array = npt.NDArray[Any]


@final
@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive rows of one table, with what its function keeps beside them (first axis: rows)."""

    start: int
    values: Array  # (n, width)
    state: State = field(default_factory=dict)


class Origin(ABC):
    """Rows by table and number, whoever wants them: they don't depend on how many servers share them."""

    @abstractmethod
    def chunks(self, spec: TableSpec, start: int, stop: int) -> Iterator[Chunk]:
        """What is known of rows [start, stop), nothing beyond them. Raises UsageError where the table doesn't fit."""


@final
class Given(Origin):
    """Arrays by the name of their table, as a model has them; a function's state begins anew."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays

    def chunks(self, spec: TableSpec, start: int, stop: int) -> Iterator[Chunk]:
        array = self._arrays.get(spec.name)
        if array is None:
            return
        fits = array.shape == spec.shape and np.can_cast(array.dtype, spec.numpy_dtype, "same_kind")
        if not fits:
            raise UsageError(
                f"table {spec.name!r} of {spec.dtype} {spec.shape} can't start from an array of {array.dtype} "
                f"{array.shape}"
            )
        yield Chunk(start, array[start:stop])


FROM_INIT = Given({})  # nothing but what init says
