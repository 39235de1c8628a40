"""An alarm: how one process wakes another that waits for its sockets, without these: a pipe, opened through /proc."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import Self, final


@final
class Alarm:
    """Of one thread, which waits for its sockets and for this."""

    def __init__(self) -> None:
        self.number, self._own = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)  # what to poll; keeps it from ending

    def stop(self) -> None:
        """It has rung."""
        with suppress(BlockingIOError):
            os.read(self.number, 1 << 12)

    def close(self) -> None:
        """Nobody is woken any more."""
        os.close(self.number)
        os.close(self._own)


@final
class Button:
    """Of another's alarm."""

    def __init__(self, fd: int) -> None:
        """Use `open`."""
        self._fd = fd

    @classmethod
    def open(cls, pid: int, number: int) -> Self | None:
        """The button of process `pid`'s alarm, if it can be had."""
        try:
            fd = os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            return cls(fd)
        os.close(fd)
        return None

    def press(self) -> None:
        """Wake it. If it is gone, or so much awake that there's no room for more, nothing happens."""
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(self._fd, b"!")

    def close(self) -> None:
        """It isn't pressed any more."""
        os.close(self._fd)
