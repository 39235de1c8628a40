"""Load: any span of a data set's rows into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from hdfs_io.dataset import Dataset
from hdfs_io.rows import Rows
from hdfs_io.sample import Sample


def count(dataset: Dataset, sample: Sample) -> int:
    """How many rows of the whole data set `sample` keeps."""
    return sample.count(dataset.rows)


def load(dataset: Dataset, lo: int, hi: int, sample: Sample | None = None, threads: int = 1) -> Rows:
    """The global rows [lo, hi) that `sample` keeps."""
    raise NotImplementedError


def read_arrow(dataset: Dataset, lo: int, hi: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The columns of the global rows [lo, hi) as they are in the files."""
    raise NotImplementedError
