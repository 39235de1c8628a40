"""A lane: how the large frames of messages go between two processes of one host, past the sockets.

A channel offers a segment before its first message; the listener that can open it accepts. From then on each side puts
large frames into its half, as long as there is room, and sends references to them in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from yarnml.wire import arena
from yarnml.wire.arena import Incoming, Outgoing, is_reference
from yarnml.wire.frames import SMALL, Frame
from yarnml.wire.segment import HEAD, Offer, Segment

SIZE = 2 * arena.SIZE
LANES = 1 << 10  # of a listener at most
_ACCEPTED = b"ya"


@final
class Lane:
    """One end of a segment."""

    def __init__(self, segment: Segment, *, channel: bool) -> None:
        self.segment = segment
        tag = segment.offer.token[:8]
        up, down = HEAD, HEAD + arena.SIZE
        self._outgoing = Outgoing(segment.memory, up if channel else down, tag, patient=channel)
        self._incoming = Incoming(segment.memory, down if channel else up, tag)

    def load(self, frames: list[Frame]) -> list[Frame]:
        """What is to be sent instead."""
        return [frames[0], *(self._reference(frame) for frame in frames[1:])]

    def _reference(self, frame: Frame) -> Frame:
        reference = None if isinstance(frame, bytes) else self._outgoing.put(frame)
        return frame if reference is None else reference

    def recall(self, frames: list[Frame]) -> None:
        """It wasn't sent."""
        for frame in frames[1:]:
            if is_reference(frame):
                assert isinstance(frame, bytes)
                self._outgoing.recall(frame)

    def unload(self, frames: Sequence[Any]) -> list[Any]:
        """What was to be sent. Raises WireError if a reference leads nowhere; the others' memory becomes free again."""
        return [frames[0], *(self._incoming.take(bytes(f)) if len(f) < SMALL else f for f in frames[1:])]


@final
class Offering:
    """A channel's part: it has a lane once its offer was accepted."""

    def __init__(self) -> None:
        self._segment = Segment.make(SIZE)
        self.lane: Lane | None = None
        self.frame = b"" if self._segment is None else self._segment.offer.pack()  # to be sent before any message

    def heed(self, frame: bytes) -> bool:
        """Whether a frame that is no message was the listener's yes."""
        if self._segment is None or frame != _ACCEPTED + self._segment.offer.token:
            return False
        self.lane = self.lane or Lane(self._segment, channel=True)
        return True

    def close(self) -> None:
        if self._segment is not None:
            self._segment.withdraw()


@final
class Lanes:
    """A listener's part: the lanes of its peers by name."""

    def __init__(self) -> None:
        self._lanes: dict[str, Lane] = {}

    def get(self, peer: str) -> Lane | None:
        return self._lanes.get(peer)

    def heed(self, peer: str, frame: bytes) -> bytes | None:
        """The answer to a frame that was no message: b"" if none is due, None if it was no offer either."""
        offer = Offer.unpack(frame)
        if offer is None:
            return None
        self._lanes = {name: lane for name, lane in self._lanes.items() if name != peer and lane.segment.offered}
        segment = Segment.open(offer, SIZE) if len(self._lanes) < LANES else None
        if segment is None:
            return b""
        self._lanes[peer] = Lane(segment, channel=False)
        return _ACCEPTED + offer.token

    def lost(self, peer: str) -> None:
        """The peer isn't connected: its memory goes, unless it lives and may come back."""
        lane = self._lanes.get(peer)
        if lane is not None and not lane.segment.offered:
            del self._lanes[peer]
