"""Writer: what appends to one file of a data set, batch after batch. A new format is one file that implements it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, final

import pyarrow as pa

from hdfs_io.errors import DataError
from hdfs_io.store import open_fs


class Writer(ABC):
    """Appends batches of columns to one file. All batches have the same columns. Closes itself as a context manager."""

    def __init__(self, url: str, compression: str | None = None, name: str | None = None) -> None:
        """`compression`: of the whole file, or, as the format has it, inside; None: what is usual.

        `name`: the file's, if it will be another than the URL's.
        """
        self.name = name or url
        fs, path = open_fs(url)
        fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.raw = fs.open(path, "wb")
        self.compression = compression
        self.file = self.opened()

    @final
    def write(self, columns: Mapping[str, Any] | pa.Table) -> None:
        """Append rows: a table, or name -> array, all of one length (numpy or Arrow). DataError for what isn't so."""
        try:
            self.append(columns if isinstance(columns, pa.Table) else pa.table(dict(columns)))
        except pa.ArrowException as error:
            raise DataError(f"{self.name}: can't be written: {error}") from error

    @final
    def close(self) -> None:
        """Finish the file."""
        self.finish()
        if self.file is not self.raw:
            self.file.close()
        self.raw.close()

    @abstractmethod
    def opened(self) -> Any:
        """The file to write to: `raw`, or what compresses into it."""

    @abstractmethod
    def append(self, table: pa.Table) -> None:
        """Append a table's rows."""

    @abstractmethod
    def finish(self) -> None:
        """Write what ends a file of this format."""

    @final
    def __enter__(self) -> Self:
        return self

    @final
    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
            return
        with suppress(Exception):  # what was begun is given up: what fails now is no news
            self.close()
        with suppress(Exception):
            self.raw.close()


def squeezed(raw: Any, compression: str | None) -> Any:
    """A file that compresses what is written into `raw`."""
    return raw if compression is None else pa.CompressedOutputStream(raw, compression)
