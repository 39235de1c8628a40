"""An arena: the part of a segment through which one process hands arrays to the other.

sender    copies an array to free memory, and sends a reference to it with its message
receiver  uses the array where it lies, and marks its memory free once nobody refers to it any more
"""

from __future__ import annotations

import mmap
import struct
import weakref
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.wire.frames import SMALL, WireError
from yarnml.wire.spin import Spin

GRANULE = SMALL  # bytes: what memory is given out in
GRANULES = 1 << 12
CONTROL = GRANULE  # bytes of what both sides keep about the granules
SIZE = CONTROL + GRANULE * GRANULES
FLIGHT = 8 << 20  # bytes on their way from which on waiting for the receiver beats touching colder memory
PATIENCE = 500e-6  # s
FREE, SENT, TAKEN = 0, 1, 2  # states of an array, kept at its first granule
_REFERENCE = struct.Struct("<2sHIQQ8s")  # magic | granule bytes number | tag of the segment
_MAGIC = b"yr"

Bytes = npt.NDArray[np.uint8]


@final
class _Ledger:
    """What both sides see."""

    def __init__(self, memory: mmap.mmap, at: int, granules: int) -> None:
        self.states = np.frombuffer(memory, np.uint8, granules, at + 64)
        self.numbers = np.frombuffer(memory, np.uint64, granules, at + 64 + GRANULES)
        self.data = np.frombuffer(memory, np.uint8, GRANULE * granules, at + CONTROL)


@final
class Outgoing:
    """The sender's side."""

    def __init__(
        self, memory: mmap.mmap, at: int, tag: bytes, *, patient: bool = False, granules: int = GRANULES
    ) -> None:
        """`at`: the arena's place in the memory. `patient`: may wait a little for the receiver."""
        self._ledger = _Ledger(memory, at, granules)
        self._tag = tag
        self._used = bytearray(granules)
        self._out: dict[int, tuple[int, int]] = {}  # first granule -> granules, number
        self._first = np.zeros(granules, bool)  # the first granules in `_out`
        self._flight = 0  # granules
        self._number = 0
        self._spin = Spin(PATIENCE if patient else 0.0)

    def put(self, array: npt.NDArray[Any]) -> bytes | None:
        """A reference to a copy of a contiguous array, or None if there is no room."""
        n = -(-array.nbytes // GRANULE)
        if self._out:
            self._sweep()
            if self._flight * GRANULE >= FLIGHT:
                self._spin.until(self._eased)
        start = self._used.find(bytes(n))
        if start < 0:
            return None
        self._number += 1
        self._used[start : start + n] = b"\1" * n
        self._out[start] = (n, self._number)
        self._first[start] = True
        self._flight += n
        self._ledger.data[start * GRANULE : start * GRANULE + array.nbytes] = array.reshape(-1).view(np.uint8)
        self._ledger.numbers[start] = self._number
        self._ledger.states[start] = SENT
        return _REFERENCE.pack(_MAGIC, 0, start, array.nbytes, self._number, self._tag)

    def _sweep(self) -> bool:
        """Take back what the receiver has marked free; whether it was any."""
        free = np.flatnonzero(self._first & (self._ledger.states == FREE))
        for start in free.tolist():
            self._release(start)
        return bool(len(free))

    def _eased(self) -> bool | None:
        return True if self._sweep() and self._flight * GRANULE < FLIGHT else None

    def _release(self, start: int) -> None:
        n, _ = self._out.pop(start)
        self._used[start : start + n] = bytes(n)
        self._first[start] = False
        self._flight -= n


@final
class Incoming:
    """The receiver's side."""

    def __init__(self, memory: mmap.mmap, at: int, tag: bytes, *, granules: int = GRANULES) -> None:
        self._ledger = _Ledger(memory, at, granules)
        self._memory, self._at, self._tag, self._granules = memory, at + CONTROL, tag, granules
        self._lent: dict[int, weakref.ref[Bytes]] = {}

    def take(self, reference: bytes) -> Bytes:
        """The bytes referred to; they stay as they are as long as the array, or a view of it, is there.

        Raises WireError if no such array is there to be taken.
        """
        if len(reference) != _REFERENCE.size or not reference.startswith(_MAGIC):
            raise WireError(f"a frame of {len(reference)} bytes that is no reference to shared memory")
        _, _, start, size, number, tag = _REFERENCE.unpack(reference)
        if tag != self._tag or not 0 < size <= (self._granules - start) * GRANULE:
            raise WireError(f"a reference to {size} bytes of shared memory at {start}, of another segment or too many")
        ledger = self._ledger
        if ledger.states[start] != SENT or ledger.numbers[start] != number:
            raise WireError(f"a reference to shared memory at {start} whose array {number} isn't there")
        ledger.states[start] = TAKEN
        array = np.frombuffer(self._memory, np.uint8, size, self._at + start * GRANULE)
        states, lent = ledger.states, self._lent  # not self: the arrays may outlive this side

        def give_back(_: object) -> None:
            lent.pop(start, None)
            states[start] = FREE

        lent[start] = weakref.ref(array, give_back)
        return array
