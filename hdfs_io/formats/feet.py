"""Feet: what the last few local Parquet files end with, kept so that it isn't taken apart again for each row group."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import final

import pyarrow.parquet as pq

KEPT = 4  # files
LARGE = 1 << 19  # bytes of a foot as it is stored; it takes some times that in memory

Key = tuple[str, int, int, int]


@final
class Feet:
    """By path, for as long as the file there stays the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, pq.FileMetaData] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: str) -> pq.FileMetaData | None:
        key = _key(path)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, path: str, foot: pq.FileMetaData) -> None:
        if foot.serialized_size > LARGE:
            return
        with self._lock:
            self._kept[_key(path)] = foot
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


def _key(path: str) -> Key:
    found = os.stat(path)
    return path, found.st_ino, found.st_size, found.st_mtime_ns
