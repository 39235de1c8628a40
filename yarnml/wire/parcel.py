"""A parcel: arrays of one message, in a file in memory that has no name, for which there was no room elsewhere.

It is written and read, never mapped: there may be many, and whoever has the file may shrink it. It is gone with those
who have it open.
"""

from __future__ import annotations

import os
import stat
import struct
from collections import deque
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.wire.frames import WireError

_REFERENCE = struct.Struct("<2sHIQQQ")  # magic | file, where in it, bytes, its inode
_MAGIC = b"yp"
MOST = 64  # files
BYTES = 64 << 20  # in files from which on no other is begun
Bytes = npt.NDArray[np.uint8]


@final
class Parcels:
    """The sender's side: those that may not have been opened yet."""

    def __init__(self) -> None:
        self._sent: deque[tuple[int, int]] = deque()  # place in the stream of messages, file
        self._bytes: deque[int] = deque()

    def put(self, array: npt.NDArray[Any], place: int) -> bytes:
        """A reference to a copy of a contiguous array, in the file of the message at this place."""
        if not self._sent or self._sent[-1][0] != place:
            self._sent.append((place, os.memfd_create("yarnml", os.MFD_CLOEXEC)))
            self._bytes.append(0)
        fd, at = self._sent[-1][1], self._bytes[-1]
        rest = array.reshape(-1).view(np.uint8).data
        while rest:
            rest = rest[os.write(fd, rest) :]
        self._bytes[-1] += array.nbytes
        return _REFERENCE.pack(_MAGIC, 0, fd, at, array.nbytes, os.fstat(fd).st_ino)

    def has_room(self, read: int) -> bool:
        """Whether a message may begin another. All messages before the place `read` have been taken."""
        return self.taken(read) or (len(self._sent) < MOST and sum(self._bytes) < BYTES)

    def taken(self, read: int) -> bool:
        """Whether all are, once all messages before the place `read` have been."""
        while self._sent and self._sent[0][0] < read:
            os.close(self._sent.popleft()[1])
            self._bytes.popleft()
        return not self._sent

    def close(self) -> None:
        """Who hasn't opened them can't any more."""
        while self._sent:
            os.close(self._sent.popleft()[1])


def is_parcel(reference: bytes) -> bool:
    """Whether a reference is one to a parcel."""
    return reference.startswith(_MAGIC)


def take(reference: bytes, pid: int) -> Bytes:
    """The array that process `pid` refers to. Raises WireError if there is none."""
    _, _, fd, at, size, inode = _REFERENCE.unpack(reference)
    try:
        file = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or status.st_ino != inode or not 0 < size <= status.st_size - at:
                raise WireError(f"a reference to {size} bytes at {at} of a file that is no such parcel")
            return _read(file, at, size)
        finally:
            os.close(file)
    except OSError as error:
        raise WireError(f"a reference to a parcel that can't be read: {error.strerror}") from None


def _read(file: int, at: int, size: int) -> Bytes:
    array = np.empty(size, np.uint8)
    rest = array.data
    while rest:
        n = os.preadv(file, [rest], at)
        if not n:
            raise WireError(f"a parcel that ends {len(rest)} bytes too early")
        at, rest = at + n, rest[n:]
    return array
