"""Task: what the rows of one kind of problem hold, how good a prediction is, and how it is written down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import LabelKind, Schema

Columns = dict[str, NDArray[Any]]  # name -> one entry a row
Partial = dict[str, NDArray[Any]]  # what some rows add to the metrics; partials of all rows merge to those of the whole
FEW = 1 << 20  # bytes of partials that may wait to be merged


class Task(ABC):
    """One kind of problem. Metrics have scikit-learn's names and values; weights of rows count where there are any."""

    name: ClassVar[str]
    label: ClassVar[LabelKind]  # what a scan makes of the label column; None: it is ignored
    enough: ClassVar[int | None] = None  # training rows, about, that are scored where there are more; None: all
    watch: ClassVar[str]  # the metric that early stopping and the choice of the best model look at; lower is better

    @abstractmethod
    def partial(self, columns: Columns, y: NDArray[Any] | None, weight: NDArray[np.float32] | None) -> Partial:
        """What the rows of `columns`, as an app's `predict` returned them, add to the metrics."""

    @abstractmethod
    def merge(self, partials: Sequence[Partial]) -> Partial:
        """One partial for the rows of all of them."""

    @final
    def fold(self, partials: Iterable[Partial]) -> Partial:
        """The same for partials that come one by one, at least one, of which few are held at a time."""
        held: list[Partial] = []
        room = FEW
        for partial in partials:
            held.append(partial)
            if _bytes(held) > room:
                held = [self.merge(held)]
                room = FEW + _bytes(held)
        return self.merge(held)

    @abstractmethod
    def metrics(self, partial: Partial) -> dict[str, float]:
        """The metrics of all rows merged; {} if there was none."""

    @abstractmethod
    def table(self, columns: Columns, schema: Schema, top: int | None = None) -> Columns:
        """The columns a user reads: labels in their original values; `top`: only that many best guesses a row."""

    def refuse(self, schema: Schema) -> None:
        """Raise UsageError if nothing can be learned from data of this schema."""
        _ = schema


def weights(rows: int, weight: NDArray[np.float32] | None) -> NDArray[np.float64]:
    """Each row's weight, 1 where none was given."""
    return np.ones(rows) if weight is None else weight.astype(np.float64)


def _bytes(partials: Sequence[Partial]) -> int:
    return sum(array.nbytes for partial in partials for array in partial.values())


def added(partials: Sequence[Partial]) -> Partial:
    """Partials whose arrays simply add up."""
    return {name: np.sum([partial[name] for partial in partials], axis=0) for name in partials[0]}
