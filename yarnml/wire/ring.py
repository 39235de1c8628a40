"""A ring: records that one process writes and another reads, through memory of both. Neither waits for the other.

    0     bytes written, ever          by the writer
    64    bytes read, ever | listens   by the reader
    128   the records: bytes, tag | body, each from a multiple of 8 on, around the end if need be

Each side keeps its place to itself and only tells it. What the other side tells is believed as far as it can be so: a
process may write anything there.
"""

from __future__ import annotations

import mmap
import struct
from typing import final

from yarnml.kernels.fence import fence
from yarnml.wire.frames import WireError

LINE = 64  # bytes of a cache line: what one side writes is in no line that the other writes
HEAD = 2 * LINE
ROOM = 1 << 18  # bytes of records
SIZE = HEAD + ROOM
RECORD = struct.Struct("<II")


@final
class Writer:
    """The writer's side."""

    def __init__(self, memory: mmap.mmap, at: int, room: int = ROOM) -> None:
        """`at`: the ring's place in the memory."""
        self._memory, self._start, self._room = memory, at + HEAD, room
        self._told = memoryview(memory)[at : at + 8].cast("Q")
        self._reader = memoryview(memory)[at + LINE :][:16].cast("Q")
        self.at = 0  # bytes written
        self._last = 0  # where the last record begins
        self._end = room  # where there is no room any more, as far as is known: a look at what the reader says costs

    @property
    def read(self) -> int:
        """Bytes read, as the reader says; none where that can't be."""
        read = self._reader[0]
        return read if read <= self.at else 0

    @property
    def heard(self) -> bool:
        """Whether the reader listens."""
        return self._reader[1] != 0

    @property
    def behind(self) -> bool:
        """Whether the reader has left more than the last record."""
        return self.read < self._last

    def has_room(self, n: int) -> bool:
        """For a body of n bytes."""
        return self._fits(self.at + RECORD.size + n + -n % RECORD.size)

    def _fits(self, end: int) -> bool:
        if end > self._end:
            self._end = self.read + self._room
        return end <= self._end

    def put(self, tag: int, body: bytes) -> bool:
        """Write a record, if there is room for it now."""
        n = len(body)
        after = self.at + RECORD.size + n + -n % RECORD.size
        if after > self._end and not self._fits(after):
            return False
        memory, place = self._memory, self.at % self._room
        start, end = self._start + place, self._start + self._room
        RECORD.pack_into(memory, start, n, tag)
        start += RECORD.size
        if start + n <= end:
            memory[start : start + n] = body
        else:
            memory[start:end], memory[self._start : start + n - self._room] = body[: end - start], body[end - start :]
        fence()
        self._last, self.at = self.at, after
        self._told[0] = after
        return True


@final
class Reader:
    """The reader's side."""

    def __init__(self, memory: mmap.mmap, at: int, room: int = ROOM) -> None:
        """`at`: the ring's place in the memory."""
        self._records, self._room = memoryview(memory)[at + HEAD :][:room], room
        self._writer = memoryview(memory)[at : at + 8].cast("Q")
        self._told = memoryview(memory)[at + LINE :][:16].cast("Q")
        self._at = 0  # bytes read
        self._broken = False
        self.listens = False
        self.more = False  # behind the last record taken there was another

    def listen(self) -> None:
        """From now on records are taken."""
        self.listens = True
        self._told[1] = 1

    @property
    def empty(self) -> bool:
        """Whether no record is there."""
        return self._writer[0] == self._at or self._broken

    def take(self) -> tuple[int, bytes] | None:
        """The tag and body of the next record, if there is one. The writer isn't told before `release`.

        Raises WireError if what is there is no record; from then on there is none.
        """
        there, place = self._writer[0] - self._at, self._at % self._room
        if not there or not self.listens or self._broken:
            return None
        fence()
        n, tag = RECORD.unpack_from(self._records, place)
        whole = RECORD.size + n + -n % RECORD.size
        if not whole <= there <= self._room:
            self._broken, self.more = True, False
            raise WireError(f"a record of {n} bytes among {there} in a ring of {self._room}")
        self._at += whole
        self.more = there > whole
        start, stop = place + RECORD.size, place + RECORD.size + n
        if stop <= self._room:
            return tag, bytes(self._records[start:stop])
        return tag, bytes(self._records[start:]) + bytes(self._records[: stop - self._room])

    def release(self) -> None:
        """What was taken may be overwritten."""
        fence()
        self._told[0] = self._at
