"""A file in HDFS, being read or written, as Python knows files."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any, final

BUFFER = 1 << 20  # bytes asked for at a time by readers that take small bites
Saying = Callable[[], Any]


@final
class HdfsReader(io.BufferedIOBase):
    """A file being read. Small bites are served from a buffer, since each look at HDFS is a request."""

    def __init__(self, inner: Any, saying: Saying) -> None:
        self._inner, self._saying = inner, saying
        self.size = len(inner)
        self._at = 0
        self._kept, self._kept_at = b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(0, self.size - self._at)
        wanted = left if size is None or size < 0 else min(size, left)
        found = self._read(wanted) if wanted else b""
        self._at += len(found)
        return found

    def read1(self, size: int = -1, /) -> bytes:
        return self.read(BUFFER if size < 0 else size)

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        found = self.read(len(view))
        view[: len(found)] = found
        return len(found)

    def _read(self, wanted: int) -> bytes:
        low = self._at - self._kept_at
        if low >= 0 and low + wanted <= len(self._kept):
            return self._kept[low : low + wanted]
        with self._saying():
            if wanted >= BUFFER:
                return bytes(self._inner.read_range(self._at, wanted))
            self._kept = bytes(self._inner.read_range(self._at, min(BUFFER, self.size - self._at)))
        self._kept_at = self._at
        return self._kept[:wanted]


@final
class HdfsWriter(io.BufferedIOBase):
    """A file being written. Others can read it once it is closed.

    HDFS keeps what was written of a file even if its writer fails: who wants it whole writes beside and renames.
    """

    def __init__(self, inner: Any, saying: Saying) -> None:
        self._inner, self._saying = inner, saying
        self._at = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        with self._saying():
            self._inner.write(data if isinstance(data, bytes) else bytes(data))
        self._at += size
        return size

    def close(self) -> None:
        if not self.closed:
            super().close()
            with self._saying():
                self._inner.close()
