"""Offers: how a channel and a listener of one host come to a lane.

    channel     offers a segment before its first message
    listener    opens it, if it can, and accepts: says which rope of its bell the channel is to pull
    channel     sends by the lane from then on; its first knock tells the listener to listen there
    listener    sends by it from then on, and its first knock tells the channel to listen there

So neither sends by a lane that the other doesn't have, whichever frame gets lost with a connection.
"""

from __future__ import annotations

import struct
from typing import final

from yarnml.wire.alarm import Alarm
from yarnml.wire.bell import ROPES, Bell, Rope
from yarnml.wire.lane import KNOCK, SIZE, Lane
from yarnml.wire.segment import TOKEN, Offer, Segment

_ACCEPTED = struct.Struct(f"<2s{TOKEN}sH")  # magic | token of the segment | rope; then the offer of the bell's segment
_MAGIC = b"ya"
LINGER = 2.0  # s for what was sent to be taken


@final
class Offering:
    """A channel's part: it has a lane once its offer was accepted."""

    def __init__(self, alarm: Alarm) -> None:
        segment = Segment.make(SIZE)
        self.bell = None if segment is None else Bell(segment, alarm)
        self.lane: Lane | None = None
        self.frame = b"" if segment is None else segment.offer.pack()  # to be sent before any message

    def heed(self, frame: bytes) -> bool:
        """Whether a frame that is no message was the listener's yes, or a knock."""
        if frame == KNOCK and self.lane is not None:
            self.lane.listen()
            return True
        if self.bell is None or len(frame) < _ACCEPTED.size:
            return False
        magic, token, number = _ACCEPTED.unpack_from(frame)
        offer = Offer.unpack(frame[_ACCEPTED.size :])
        if magic != _MAGIC or token != self.bell.segment.offer.token or number >= ROPES or offer is None:
            return False
        theirs = None if self.lane is not None else Segment.open(offer, 0)
        rope = None if theirs is None else Rope.of(theirs, number)
        if rope is not None:
            self.lane = Lane(self.bell.segment, channel=True, mine=(self.bell, 0), theirs=rope, pid=offer.pid)
        return True

    def close(self) -> None:
        """Also more than once: what is closed twice could be another's by then."""
        lane, bell, self.lane, self.bell = self.lane, self.bell, None, None
        if lane is not None:
            lane.close(LINGER)
        if bell is not None:
            bell.segment.withdraw()


@final
class Lanes:
    """A listener's part: the lanes of its peers."""

    def __init__(self, alarm: Alarm) -> None:
        segment = Segment.make(0)
        self.bell = None if segment is None else Bell(segment, alarm)
        self._lanes: dict[str, Lane] = {}
        self.heard: dict[str, Lane] = {}  # those by which peers are sent messages
        self._ropes: list[str | None] = [None] * ROPES

    def at(self, rope: int) -> tuple[str, Lane] | None:
        """Who pulls a rope, and its lane."""
        peer = self._ropes[rope]
        return None if peer is None else (peer, self._lanes[peer])

    def heed(self, peer: str, frame: bytes) -> bytes | None:
        """The answer to a frame that was no message: b"" if none is due, None if it was neither offer nor knock."""
        if frame == KNOCK and peer in self._lanes:
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
        return self._accept(peer, offer)

    def _accept(self, peer: str, offer: Offer) -> bytes:
        segment = None if self.bell is None or None not in self._ropes else Segment.open(offer, SIZE)
        rope = None if segment is None else Rope.of(segment, 0)
        if self.bell is None or segment is None or rope is None:
            return b""
        number = self._ropes.index(None)
        self._ropes[number] = peer
        self._lanes[peer] = Lane(segment, channel=False, mine=(self.bell, number), theirs=rope, pid=offer.pid)
        return _ACCEPTED.pack(_MAGIC, offer.token, number) + self.bell.segment.offer.pack()

    def lost(self, peer: str) -> None:
        """The peer isn't connected: its memory goes, unless it lives and may come back, or is still to be read."""
        lane = self._lanes.get(peer)
        if lane is not None and lane.drained and not lane.segment.offered:
            self._drop(peer)

    def _drop(self, peer: str) -> None:
        self._lanes.pop(peer).close()
        self.heard.pop(peer, None)
        self._ropes[self._ropes.index(peer)] = None

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close(LINGER)
        self._lanes.clear()
        self.heard.clear()
        bell, self.bell = self.bell, None
        if bell is not None:
            bell.segment.withdraw()
