"""Located: what is wrong with a row at hand is told by the place that the row has in its data set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from hdfs_io import Dataset, locate
from yarnml.errors import RowError, UsageError


@contextmanager
def located(dataset: Dataset, number: NDArray[np.int64]) -> Iterator[None]:
    """A RowError raised within says file and line; the rows at hand are those of `dataset` with these numbers."""
    try:
        yield
    except RowError as error:
        raise UsageError(locate(dataset, int(number[error.row]), error.what)) from error
