"""Whole: output that appears at its URL complete or not at all."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager

from hdfs_io.errors import DataError
from hdfs_io.store import aside, hidden, open_fs, rename, replace, url_of


@contextmanager
def whole(url: str, overwrite: bool = False) -> Iterator[str]:
    """A URL to write a file or directory to; it takes the place of `url` when the block ends without error.

    An existing `url` is refused (DataError) unless `overwrite`; then it is kept until the new one stands. A crash
    between leaves what `mend` repairs.
    """
    mend(url)
    fs, path = open_fs(url)
    if fs.exists(path) and not overwrite:
        raise DataError(f"{url}: exists already; choose another place, or allow overwriting")
    staging = hidden(path)
    fs.makedirs(posixpath.dirname(path), exist_ok=True)
    try:
        yield url_of(fs, staging)
        if not fs.exists(staging):
            raise DataError(f"{url}: nothing was written")
        replace(fs, staging, path)
    finally:
        if fs.exists(staging):
            fs.rm(staging, recursive=True)


def mend(url: str) -> bool:
    """Finish what a crash while overwriting `url` left: the old one comes back, or goes if the new one stands.

    Returns whether there was something to mend. What an unfinished write left beside is hidden and harmless.
    """
    fs, path = open_fs(url)
    old = aside(path)
    if not fs.exists(old):
        return False
    if fs.exists(path):
        fs.rm(old, recursive=True)
    else:
        rename(fs, old, path)
    return True
