"""Output: a data set that several workers write together, there as a whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io import join, open_fs, whole, write_text
from yarnml.errors import UsageError

Gather = Callable[[Any], list[NDArray[Any]]]
SUFFIXES = (".csv", ".parquet", ".libsvm")


def is_file(url: str) -> bool:
    """Whether a data set of this URL is one file, by its suffix."""
    return url.endswith(SUFFIXES)


@contextmanager
def shared_output(url: str, index: int, workers: int, gather: Gather) -> Iterator[str]:
    """Where every worker puts its parts; once all have, worker 0 moves them to `url`."""
    if is_file(url) and workers > 1:
        raise UsageError(f"{url}: {workers} workers write one part each; name a directory, or say --workers 1")
    if index > 0:
        yield _said_by_first(gather, "")
        gather(np.zeros(0))  # my part is there
        gather(np.zeros(0))  # and now the whole is
        return
    with whole(url) as staging:
        if not is_file(url):
            fs, path = open_fs(staging)
            fs.makedirs(path, exist_ok=True)
        yield _said_by_first(gather, staging)
        gather(np.zeros(0))
        if not is_file(url):
            write_text(join(staging, "_SUCCESS"), "")
    gather(np.zeros(0))


def _said_by_first(gather: Gather, text: str) -> str:
    return bytes(gather(np.frombuffer(text.encode(), np.uint8))[0]).decode()
