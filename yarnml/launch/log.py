"""A log: what a process says of itself. It may be lost, as on a full disk, and the process goes on."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, final


@final
class _Lossy(io.RawIOBase):
    """A file descriptor to which nothing fails to be written."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: Any) -> int:
        whole, left = len(text), memoryview(text)
        with suppress(OSError):
            while left:
                left = left[os.write(self._descriptor, left) :]
        return whole


def lose_what_cannot_be_logged() -> None:
    """From now on what standard output or error can't take is lost, instead of ending who says it."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        raw: Any = _Lossy(descriptor)
        stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)  # a crash loses no line
        setattr(sys, name, stream)
