"""Writer: one file of a data set, column by column, batch after batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any


class Writer(ABC):
    """Appends batches of columns to one file. All batches have the same columns."""

    @abstractmethod
    def write(self, columns: Mapping[str, Any]) -> None:
        """Append rows: name -> array of equal lengths (numpy or Arrow)."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file."""


def open_writer(url: str, format: str = "parquet") -> Writer:  # noqa: A002 (the word users know)
    """A writer of the file `url`: "parquet", "csv" or "libsvm"."""
    raise NotImplementedError


def write(url: str, columns: Any, *, format: str | None = None, overwrite: bool = False) -> None:  # noqa: A002
    """Write a whole data set: a file if the URL has a format's suffix, else a directory of parts and _SUCCESS."""
    raise NotImplementedError
