"""A lane: how messages go between two processes of one host, past the sockets.

Each way has a ring for the messages, with their small frames, and an arena for large ones; where that is full they go
in parcels. The sockets do no more than to carry knocks: a first one, which comes after all that went by the socket
before, so that who takes nothing from the ring until then gets everything in its order; and later ones where nothing is
taken, since a socket knows who is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, sleep
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.wire import arena, parcel, ring
from yarnml.wire.arena import Incoming, Outgoing
from yarnml.wire.bell import Bell, Rope
from yarnml.wire.frames import SMALL, WireError
from yarnml.wire.parcel import Parcels, is_parcel
from yarnml.wire.ring import Reader, Writer
from yarnml.wire.segment import HEAD, Segment

WAY = arena.SIZE + ring.SIZE
SIZE = 2 * WAY
KNOCK = b"yk?"
REFERENCE = 32  # bytes
INDIRECT = 1 << 31  # in a record's tag, beside the number of references: the body is a reference to that
AGAIN = 0.01  # s between knocks at one who reads too slowly, and may be gone
LINGER_POLL = 0.001  # s


@final
class Lane:
    """One end of a segment."""

    def __init__(self, segment: Segment, *, channel: bool, mine: tuple[Bell, int], theirs: Rope, pid: int) -> None:
        """`mine`: the bell of this end, and the number of the rope that the other pulls; `theirs`: the one to be pulled
        here. `pid`: of the other process."""
        self.segment = segment
        up, down = HEAD, HEAD + WAY
        out, into = (up, down) if channel else (down, up)
        memory, tag = segment.memory, segment.offer.token[:8]
        self._writer, self._reader = Writer(memory, out + arena.SIZE), Reader(memory, into + arena.SIZE)
        self._outgoing, self._incoming = Outgoing(memory, out, tag, patient=channel), Incoming(memory, into, tag)
        self._parcels, self._pid = Parcels(), pid
        (self._bell, self._number), self._rope = mine, theirs
        self._again = 0.0  # when to knock at one who reads too slowly
        self._heard = False  # the other end listens

    # ---- sending

    def send(self, frames: Sequence[Any]) -> bool:
        """Send a message, bytes and then arrays, if there is room for it now. The arrays are copied."""
        head = frames[0]
        small = len(frames) == 1 and len(head) < SMALL
        sent = self._writer.put(0, head) if small else self._send_large(head, frames[1:])
        if sent:
            self._rope.pull()
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

    def to_knock(self) -> bool:
        """Whether the other end must be knocked at: it doesn't listen yet; or, now and then, it has let much lie."""
        self._heard = self._heard or self._writer.heard
        if not self._heard:
            return True
        now = monotonic()
        if now < self._again:
            return False
        self._again = now + AGAIN
        return self._writer.behind

    # ---- receiving

    def listen(self) -> None:
        """A knock has come: so has what went by the socket before."""
        self._reader.listen()
        self._bell.again(self._number)

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
                self._bell.again(self._number)

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

    def close(self, linger: float = 0.0) -> None:
        """Nothing more is sent. Parcels go with their sender, so it waits for up to `linger` seconds for the other end
        to take them."""
        end = monotonic() + linger
        while not self._parcels.taken(self._writer.read) and monotonic() < end:
            sleep(LINGER_POLL)
        self._parcels.close()
        self._rope.close()
