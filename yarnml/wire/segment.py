"""A segment: memory that two processes of one host share, and that is gone with the last of them.

It has no name in any file system. Who makes it offers it as a number among its open files, and the other opens it
through /proc. Kill -9 leaves nothing behind, and where /proc doesn't lead to the same file (another host, another
container, another user) there is just no segment.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import secrets
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Self, final

TOKEN = 16  # bytes, at the segment's start: that the file opened is the one offered
HEAD = 1 << 12  # bytes before what the two make of the rest
_OFFER = struct.Struct("<2sII16s")
_MAGIC = b"yo"


@final
@dataclass(frozen=True, slots=True)
class Offer:
    """Where a segment is to be found."""

    pid: int
    fd: int
    token: bytes

    @property
    def path(self) -> str:
        return f"/proc/{self.pid}/fd/{self.fd}"

    def pack(self) -> bytes:
        return _OFFER.pack(_MAGIC, self.pid, self.fd, self.token)

    @classmethod
    def unpack(cls, frame: bytes) -> Self | None:
        """None if these bytes are no offer."""
        if len(frame) != _OFFER.size or not frame.startswith(_MAGIC):
            return None
        return cls(*_OFFER.unpack(frame)[1:])


@final
class Segment:
    """Memory of `size` bytes beside its head; None of it is real before it is written to."""

    def __init__(self, memory: mmap.mmap, offer: Offer, inode: int) -> None:
        """Use `make` or `open`."""
        self.memory = memory
        self.offer = offer
        self._inode = inode

    @classmethod
    def make(cls, size: int) -> Self | None:
        """A new one; None where the system has no such memory."""
        if not hasattr(os, "memfd_create"):
            return None
        try:
            fd = os.memfd_create("yarnml", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        except OSError:
            return None
        try:
            os.ftruncate(fd, HEAD + size)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _seals())
            memory = mmap.mmap(fd, HEAD + size)
        except OSError:
            os.close(fd)
            return None
        offer = Offer(os.getpid(), fd, secrets.token_bytes(TOKEN))
        memory[:TOKEN] = offer.token
        return cls(memory, offer, os.stat(offer.path).st_ino)

    @classmethod
    def open(cls, offer: Offer, size: int) -> Self | None:
        """The one offered, if it can be had. It can't shrink, whatever its maker does: reading it stays safe."""
        try:
            fd = os.open(offer.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            status = os.fstat(fd)
            if fcntl.fcntl(fd, fcntl.F_GET_SEALS) & _seals() != _seals() or status.st_size != HEAD + size:
                return None
            memory = mmap.mmap(fd, HEAD + size)
        except OSError:
            return None
        finally:
            os.close(fd)
        return cls(memory, offer, status.st_ino) if memory[:TOKEN] == offer.token else None

    @property
    def offered(self) -> bool:
        """Whether its maker lives and hasn't withdrawn it."""
        try:
            return os.stat(self.offer.path).st_ino == self._inode
        except OSError:
            return False

    def withdraw(self) -> None:
        """By its maker: nobody opens it any more. Who has it keeps it."""
        with suppress(OSError):
            os.close(self.offer.fd)


def _seals() -> int:
    return fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
