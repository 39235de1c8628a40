"""Look: what a person wants to see of a data set, and copies of it."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from hdfs_io.options import ReadOptions


def head(url: str, options: ReadOptions | None = None, n: int = 10) -> pa.Table:
    """The first `n` rows as they are in the files."""
    raise NotImplementedError


def describe(url: str, options: ReadOptions | None = None) -> str:
    """What `scan` finds, as text."""
    raise NotImplementedError


def copy(src: str, dst: str, progress: Callable[[int, int], None] | None = None, *, overwrite: bool = False) -> int:
    """Copy a file or directory between any two stores, whole or not at all. Returns the bytes copied."""
    raise NotImplementedError
