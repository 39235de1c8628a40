"""A lane: how messages go between two processes of one host, past the sockets.

Each way has a ring for the messages, with their small frames, and an arena for large ones; where that is full they go
in parcels. The sockets do no more than wake who sleeps, and tell who is gone. A first wake comes after all that went by
the socket before: who takes nothing from the ring until then gets everything in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.wire import arena, parcel, ring
from yarnml.wire.arena import Incoming, Outgoing
from yarnml.wire.bell import Bell
from yarnml.wire.frames import SMALL, WireError
from yarnml.wire.parcel import Parcels, is_parcel
from yarnml.wire.ring import Reader, Writer
from yarnml.wire.segment import HEAD, Segment

WAY = arena.SIZE + ring.SIZE
SIZE = 2 * WAY
WAKE = b"yw?"
REFERENCE = 32  # bytes
INDIRECT = 1 << 31  # in a record's tag, beside the number of references: the body is a reference to that
AGAIN = 0.01  # s between wakes of one who reads too slowly, and may be gone


@final
class Lane:
    """One end of a segment."""

    def __init__(
        self, segment: Segment, *, channel: bool, mine: tuple[Bell, int], theirs: tuple[Bell, int], pid: int
    ) -> None:
        """`mine`: the bell of this end, and the slot at which the other rings it; `theirs` likewise. `pid`: of the
        other process."""
        self.segment = segment
        up, down = HEAD, HEAD + WAY
        out, into = (up, down) if channel else (down, up)
        memory, tag = segment.memory, segment.offer.token[:8]
        self._writer, self._reader = Writer(memory, out + arena.SIZE), Reader(memory, into + arena.SIZE)
        self._outgoing, self._incoming = Outgoing(memory, out, tag, patient=channel), Incoming(memory, into, tag)
        self._parcels, self._pid = Parcels(), pid
        self._mine, self._theirs = mine, theirs
        self._again = 0.0  # when to wake one who reads too slowly
        self._heard = False  # the other end listens

    # ---- sending

    def send(self, frames: Sequence[Any]) -> bool:
        """Send a message, bytes and then arrays, if there is room for it now. The arrays are copied."""
        head = frames[0]
        small = len(frames) == 1 and len(head) < SMALL
        sent = self._writer.put(0, head) if small else self._send_large(head, frames[1:])
        if sent:
            bell, slot = self._theirs
            bell.ring(slot)
        return sent

    def _send_large(self, head: bytes, large: Sequence[npt.NDArray[Any]]) -> bool:
        writer = self._writer
        if not (writer.has_room(SMALL) and self._parcels.has_room(writer.read)):
            return False
        body, tag = b"".join([*map(self._put, large), head]), len(large)
        if len(body) >= SMALL:
            body, tag = self._put(np.frombuffer(body, np.uint8)), tag | INDIRECT
        return writer.put(tag, body)

    def _put(self, array: npt.NDArray[Any]) -> bytes:
        """A reference to a copy."""
        return self._outgoing.put(array) or self._parcels.put(array, self._writer.at)

    @property
    def drained(self) -> bool:
        """Whether nothing is left to take."""
        return self._reader.empty

    @property
    def unread(self) -> bool:
        """Whether the other end has something to take."""
        return self._writer.read != self._writer.at

    def to_wake(self) -> bool:
        """Whether the other end must be woken to see what was sent: it sleeps, or doesn't listen yet. Now and then,
        too, where it has let much lie: the socket knows whether it is gone."""
        self._heard = self._heard or self._writer.heard
        if self._theirs[0].asleep or not self._heard:
            return True
        now = monotonic()
        if now < self._again:
            return False
        self._again = now + AGAIN
        return self._writer.behind

    # ---- receiving

    def listen(self) -> None:
        """A wake has come: what went by the socket before has come too."""
        self._reader.listen()
        self._ring()

    def _ring(self) -> None:
        bell, slot = self._mine
        bell.ring(slot)

    def take(self) -> list[Any] | None:
        """The next message, if there is one. Raises WireError if what is there is none, and is left out."""
        reader = self._reader
        record = reader.take()
        if record is None:
            return None
        try:
            tag, body = record
            return self._frames(tag, body) if tag else [body]
        finally:
            reader.release()
            if reader.more:
                self._ring()

    def _frames(self, tag: int, body: bytes) -> list[Any]:
        n = tag & ~INDIRECT
        if tag & INDIRECT:
            body = bytes(self._take(body))
        if len(body) < n * REFERENCE:
            raise WireError(f"{n} references in {len(body)} bytes")
        references = [body[i : i + REFERENCE] for i in range(0, n * REFERENCE, REFERENCE)]
        return [body[n * REFERENCE :], *map(self._take, references)]

    def _take(self, reference: bytes) -> npt.NDArray[np.uint8]:
        if len(reference) != REFERENCE:
            raise WireError(f"a reference of {len(reference)} bytes")
        return parcel.take(reference, self._pid) if is_parcel(reference) else self._incoming.take(reference)

    def close(self) -> None:
        """Nothing more is sent."""
        self._parcels.close()
