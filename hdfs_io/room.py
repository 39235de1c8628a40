"""Room: where the rows of a piece go as they are read, stretch after stretch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset

NAMED = ("id", "user", "item")  # roles of columns that are carried as they are


@dataclass(frozen=True, eq=False)
class Frame:
    """Arrays for a stretch of rows that follow each other."""

    X: NDArray[np.float32] | None  # dense rows
    y: NDArray[Any] | None
    weight: NDArray[np.float32] | None
    counts: NDArray[np.int64] | None = None  # sparse rows: values of each row
    indices: NDArray[np.int32] | None = None  # of all their values
    values: NDArray[np.float32] | None = None

    @classmethod
    def of(cls, dataset: Dataset, rows: int, values: int) -> Self:
        """New arrays for so many rows of a data set, with so many values if they are sparse."""
        schema, sparse = dataset.schema, dataset.schema.sparse
        return cls(
            X=None if sparse else np.empty((rows, schema.width), np.float32),
            y=np.empty(rows, np.int32 if schema.classes else np.float32) if dataset.has_label else None,
            weight=np.empty(rows, np.float32) if dataset.options.roles.weight is not None else None,
            counts=np.empty(rows, np.int64) if sparse else None,
            indices=np.empty(values, np.int32) if sparse else None,
            values=np.empty(values, np.float32) if sparse else None,
        )


class Room(ABC):
    """Where a piece's rows go, stretch after stretch: so they needn't all be in memory at once."""

    @abstractmethod
    def stretch(self, rows: int, values: int = 0) -> Frame:
        """Arrays for the next `rows` rows with, if sparse, `values` values: to be filled before the next are asked."""


@dataclass(frozen=True)
class Filled:
    """What `fill` did besides filling."""

    dropped: int = 0  # feature values beyond the schema
    named: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)  # role of NAMED -> its column
