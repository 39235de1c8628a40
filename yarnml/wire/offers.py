"""Offers: how a channel and a listener of one host come to a lane.

    channel     offers a segment before its first message
    listener    opens it, if it can, and accepts: says at which slot of its bell the channel is to ring
    channel     sends by the lane from then on; its first wake tells the listener to listen there
    listener    sends by it from then on, and its first wake tells the channel to listen there

So neither sends by a lane that the other doesn't have, whichever frame gets lost with a connection.
"""

from __future__ import annotations

import struct
from typing import final

from yarnml.wire.bell import SLOTS, Bell
from yarnml.wire.lane import SIZE, WAKE, Lane
from yarnml.wire.segment import TOKEN, Offer, Segment

_ACCEPTED = struct.Struct(
    f"<2s{TOKEN}sH"
)  # magic | token of the segment | slot; the offer of the listener's bell follows
_MAGIC = b"ya"


@final
class Offering:
    """A channel's part: it has a lane once its offer was accepted."""

    def __init__(self) -> None:
        self._segment = Segment.make(SIZE)
        self.bell = None if self._segment is None else Bell(self._segment.memory)
        self.lane: Lane | None = None
        self.frame = b"" if self._segment is None else self._segment.offer.pack()  # to be sent before any message

    def heed(self, frame: bytes) -> bool:
        """Whether a frame that is no message was the listener's yes, or a wake."""
        if frame == WAKE and self.lane is not None:
            self.lane.listen()
            return True
        if self._segment is None or self.bell is None or len(frame) < _ACCEPTED.size:
            return False
        magic, token, slot = _ACCEPTED.unpack_from(frame)
        offer = Offer.unpack(frame[_ACCEPTED.size :])
        if magic != _MAGIC or token != self._segment.offer.token or slot >= SLOTS or offer is None:
            return False
        theirs = Segment.open(offer, 0)
        if self.lane is None and theirs is not None:
            self.lane = Lane(
                self._segment, channel=True, mine=(self.bell, 0), theirs=(Bell(theirs.memory), slot), pid=offer.pid
            )
        return True

    def close(self) -> None:
        if self.lane is not None:
            self.lane.close()
        if self._segment is not None:
            self._segment.withdraw()


@final
class Lanes:
    """A listener's part: the lanes of its peers."""

    def __init__(self) -> None:
        self._segment = Segment.make(0)
        self.bell = None if self._segment is None else Bell(self._segment.memory)
        self._lanes: dict[str, Lane] = {}
        self.heard: dict[str, Lane] = {}  # those by which peers are sent messages
        self._slots: list[str | None] = [None] * SLOTS

    def at(self, slot: int) -> tuple[str, Lane] | None:
        """Who rings at a slot, and its lane."""
        peer = self._slots[slot]
        return None if peer is None else (peer, self._lanes[peer])

    def heed(self, peer: str, frame: bytes) -> bytes | None:
        """The answer to a frame that was no message: b"" if none is due, None if it was neither offer nor wake."""
        if frame == WAKE and peer in self._lanes:
            self.heard[peer] = lane = self._lanes[peer]
            lane.listen()
            return b""
        offer = Offer.unpack(frame)
        if offer is None:
            return None
        for name in list(self._lanes):
            if name == peer:
                self._drop(name)
            else:
                self.lost(name)
        segment = None if None not in self._slots else Segment.open(offer, SIZE)
        if segment is None or self.bell is None or self._segment is None:
            return b""
        slot = self._slots.index(None)
        self._slots[slot] = peer
        self._lanes[peer] = Lane(
            segment, channel=False, mine=(self.bell, slot), theirs=(Bell(segment.memory), 0), pid=offer.pid
        )
        return _ACCEPTED.pack(_MAGIC, offer.token, slot) + self._segment.offer.pack()

    def lost(self, peer: str) -> None:
        """The peer isn't connected: its memory goes, unless it lives and may come back, or is still to be read."""
        lane = self._lanes.get(peer)
        if lane is not None and lane.drained and not lane.segment.offered:
            self._drop(peer)

    def _drop(self, peer: str) -> None:
        self._lanes.pop(peer).close()
        self.heard.pop(peer, None)
        self._slots[self._slots.index(peer)] = None

    def close(self) -> None:
        for peer in list(self._lanes):
            self._drop(peer)
        if self._segment is not None:
            self._segment.withdraw()
