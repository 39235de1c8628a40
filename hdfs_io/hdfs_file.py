"""A file in HDFS, being read or written, as Python knows files."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import Any, final

BUFFER = 1 << 20  # bytes asked for at a time by readers that take small bites
Saying = Callable[[], Any]
Part = bytes | memoryview


@final
class HdfsReader(io.BufferedIOBase):
    """A file being read. Small bites are served from a buffer, since each look at HDFS is a request; and what is read
    in its order comes by one request, since each is waited for.
    """

    def __init__(self, inner: Any, saying: Saying) -> None:
        self._inner, self._saying = inner, saying
        self.size = len(inner)
        self._at = 0
        self._kept, self._kept_at = b"", 0
        self._next = -1  # where HDFS was read up to
        self._stream: Iterator[bytes] | None = None  # what comes from there on
        self._rest = memoryview(b"")  # of what came of it last

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
        return b"".join(self._parts(self.size if size is None or size < 0 else size))

    def read1(self, size: int = -1, /) -> bytes:
        return self.read(BUFFER if size < 0 else size)

    def readinto(self, buffer: Any, /) -> int:
        view, at = memoryview(buffer).cast("B"), 0
        for part in self._parts(len(view)):
            view[at : at + len(part)] = part
            at += len(part)
        return at

    def close(self) -> None:
        self._stream = None
        super().close()

    def _parts(self, wanted: int) -> list[Part]:
        """The next bytes, as many as are wanted and there."""
        wanted = min(wanted, max(0, self.size - self._at))
        low, start = self._at - self._kept_at, self._at
        self._at += wanted
        kept = self._kept[low : low + wanted] if low >= 0 else b""
        start, wanted = start + len(kept), wanted - len(kept)
        if not wanted:
            return [kept]
        with self._saying():
            if wanted >= BUFFER:
                return [kept, *self._come(start, wanted)]
            self._kept = b"".join(self._come(start, min(BUFFER, self.size - start)))
        self._kept_at = start
        return [kept, self._kept[:wanted]]

    def _come(self, start: int, n: int) -> list[Part]:
        """Bytes [start, start + n) from HDFS."""
        follows, self._next = start == self._next, start + n
        if follows:
            try:
                return self._streamed(start, n)
            except (RuntimeError, OSError):  # a stream that nobody read for minutes is cut off: a new request is none
                pass
        self._stream = None
        return [self._inner.read_range(start, n)]

    def _streamed(self, start: int, n: int) -> list[Part]:
        if self._stream is None:
            self._stream, self._rest = self._inner.read_range_stream(start, self.size - start), memoryview(b"")
        parts: list[Part] = []
        while n:
            if not self._rest:
                self._rest = memoryview(next(self._stream, b""))
                if not self._rest:
                    raise OSError("the stream ends early")
            parts.append(self._rest[:n])
            self._rest = self._rest[n:]
            n -= len(parts[-1])
        return parts


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
