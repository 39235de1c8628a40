"""Output: a data set that the workers of a run write together, a part each, there as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from hdfs_io import DataError, Writer, join, open_fs, open_writer, read_text, whole, write_text
from yarnml.errors import UsageError

if TYPE_CHECKING:
    from yarnml.app.worker import Worker

SUCCESS = "_SUCCESS"  # the file that says a directory of parts is complete: with the id of the run that wrote it
FORMATS = {".csv": "csv", ".parquet": "parquet", ".libsvm": "libsvm"}


@final
@dataclass(frozen=True)
class Output:
    """Where one worker writes: its part of a directory, or the one file that the data set is."""

    url: str
    format: str

    def writer(self) -> Writer:
        return open_writer(self.url, self.format)


@contextmanager
def shared_output(me: Worker, url: str) -> Iterator[Output]:
    """Each worker's output; once all have written, worker 0 moves the whole to `url`.

    A URL that ends like a file of a known format is one file, and takes a single worker; any other is a directory of
    Parquet parts, in the workers' order.
    """
    suffix = single_file(url)
    if suffix is not None and me.workers > 1:
        raise UsageError(f"{url}: {me.workers} workers write one part each; name a directory, or say --workers 1")
    if me.index > 0:
        yield _part(me, _said_by_first(me, ""))
        me.gather(np.zeros(0))  # my part is there
        me.gather(np.zeros(0))  # and now the whole is
        return
    with whole(url, overwrite=me.job.overwrite or _written_before(me, url)) as staging:
        if suffix is None:
            fs, path = open_fs(staging)
            fs.makedirs(path, exist_ok=True)
        said = _said_by_first(me, staging)
        yield _part(me, said) if suffix is None else Output(said, FORMATS[suffix])
        me.gather(np.zeros(0))
        if suffix is None:
            write_text(join(staging, SUCCESS), me.job.run)
    me.gather(np.zeros(0))


def single_file(url: str) -> str | None:
    """How a URL ends that is one file, and not a directory of parts."""
    return next((end for end in FORMATS if url.endswith(end)), None)


def _part(me: Worker, staging: str) -> Output:
    return Output(join(staging, f"part-{me.index:05d}.parquet"), "parquet")


def _written_before(me: Worker, url: str) -> bool:
    """Whether the run wrote the whole already, before it went back."""
    with suppress(DataError):
        return me.began.generation > 0 and read_text(join(url, SUCCESS)) == me.job.run
    return False


def _said_by_first(me: Worker, text: str) -> str:
    return bytes(me.gather(np.frombuffer(text.encode(), np.uint8))[0]).decode()
