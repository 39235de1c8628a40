"""Feet: what is known of the last few Parquet files by their feet, so that these aren't taken apart for each row group.

A foot holds all row groups and may be large, so those of few files are kept; their columns are a short list.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar, final

import pyarrow as pa
import pyarrow.parquet as pq

FEET, LISTS = 4, 64  # files of which feet and lists of columns are kept
LARGE = 1 << 19  # bytes of a foot as it is stored; it takes some times that in memory

Columns = list[tuple[str, str]]  # path and physical type of each
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@final
class Feet:
    """What is kept is of the files as they are now. Safe for use by several threads."""

    def __init__(self) -> None:
        self._feet: Recent[tuple[str, int, int, int], pq.FileMetaData] = Recent(FEET)
        self._columns: Recent[tuple[str, pa.Schema], Columns] = Recent(LISTS)

    def foot(self, path: str) -> pq.FileMetaData | None:
        """Of a local file, if it is kept."""
        return self._feet.get(_key(path))

    def keep(self, path: str, foot: pq.FileMetaData) -> None:
        """The foot of a local file, unless it is large."""
        if foot.serialized_size <= LARGE:
            self._feet.put(_key(path), foot)

    def columns(self, parquet: pq.ParquetFile, url: str) -> Columns:
        """Those of the file at `url`, asked for once: who asks holds the foot until Python looks for cycles."""
        key = url, parquet.schema_arrow  # one that is written anew there has another schema, or columns like these
        found = self._columns.get(key)
        if found is None:
            schema = parquet.schema
            columns = [schema.column(i) for i in range(len(schema))]
            found = [(column.path, column.physical_type) for column in columns]
            self._columns.put(key, found)
        return found


@final
class Recent(Generic[K, V]):
    """The values of the last few keys that were asked for."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def _key(path: str) -> tuple[str, int, int, int]:
    found = os.stat(path)
    return path, found.st_ino, found.st_size, found.st_mtime_ns


KNOWN = Feet()
