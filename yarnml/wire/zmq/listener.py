"""A ROUTER as a listener."""

from __future__ import annotations

from time import monotonic
from typing import Any, final

import zmq

from yarnml.wire.frames import Frame, WireError, decode, encode
from yarnml.wire.lane import Lanes
from yarnml.wire.message import Message
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Listener, Receipt, Status
from yarnml.wire.zmq.guard import Tally
from yarnml.wire.zmq.outbox import Item, Outbox
from yarnml.wire.zmq.sockets import DONTWAIT, Inbox, put

OUTBOX_POLL = 0.001  # s between looks at a slow peer: ROUTER can't say which peer has room again
_RECEIPTS = {status: Receipt(status) for status in Status}  # of what is lent nothing


@final
class ZmqListener(Listener):
    """With shared memory for what is large to the peers that have offered it."""

    def __init__(
        self, socket: zmq.Socket[bytes], spin: Spin, lanes: Lanes | None, refused_at_door: Tally | None
    ) -> None:
        self.socket = socket
        self._inbox = Inbox(socket, spin, named=True)
        self._lanes = lanes
        self._outbox = Outbox(self._try)
        self._address = socket.getsockopt_string(zmq.LAST_ENDPOINT)
        self._nonsense = 0  # messages that were none
        self._door = refused_at_door

    @property
    def address(self) -> str:
        return self._address

    @property
    def refused(self) -> int:
        return self._nonsense + (0 if self._door is None else self._door.refused)

    def recv(self, timeout: float = 0.0) -> tuple[str, Message] | None:
        end, left = monotonic() + timeout, timeout
        while True:
            if self._outbox.waits:
                self._outbox.flush()
            frames = self._inbox.take(min(left, OUTBOX_POLL) if self._outbox.waits else left)
            if frames is not None and (came := self._understood(frames)) is not None:
                return came
            left = end - monotonic()
            if frames is None and left <= 0:
                return None

    def _understood(self, frames: list[Any]) -> tuple[str, Message] | None:
        try:
            name, head, *large = frames
            peer = name.decode()
        except ValueError:
            self._nonsense += 1
            return None
        try:
            if large and self._lanes is not None and (lane := self._lanes.get(peer)) is not None:
                return peer, decode(lane.unload([head, *large]))
            return peer, decode(frames[1:])
        except WireError:
            self._heed(peer, head)
            return None

    def _heed(self, peer: str, frame: bytes) -> None:
        """A frame that is no message may be an offer of memory."""
        answer = None if self._lanes is None else self._lanes.heed(peer, frame)
        if answer is None:
            self._nonsense += 1
        elif answer:
            self._try(Item(peer, [answer]))

    def send(self, peer: str, message: Message, *, track: bool = False) -> Receipt:  # noqa: ARG002 (always tracked)
        frames = encode(message)
        outbox = self._outbox
        if len(frames) == 1 and not outbox.waits and (status := self._put(peer, frames)) is not Status.FULL:
            return _RECEIPTS[status]
        if outbox.full(peer):
            return Receipt(Status.FULL)
        lane = None
        if len(frames) > 1 and self._lanes is not None and (lane := self._lanes.get(peer)) is not None:
            frames = lane.load(frames)
        item = Item(peer, frames, lane)
        outbox.send(item)
        return item.receipt

    def _try(self, item: Item) -> Status:
        """FULL if the peer has no room now."""
        status = self._put(item.peer, item.frames, item.receipt.lent)
        if status is Status.GONE and item.lane is not None:
            item.lane.recall(item.frames)
        if item.receipt.lent:
            self._inbox.rest()
        return status

    def _put(self, peer: str, frames: list[Frame], lent: list[Any] | None = None) -> Status:
        try:
            return put(self.socket, [peer.encode(), *frames], DONTWAIT, lent)
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            if self._lanes is not None:
                self._lanes.lost(peer)
            return Status.GONE

    def close(self) -> None:
        self.socket.close()
