"""A ROUTER as a listener."""

from __future__ import annotations

from time import monotonic
from typing import Any, final

import zmq

from yarnml.wire.frames import Frame, WireError, decode, encode
from yarnml.wire.lane import KNOCK, Lane
from yarnml.wire.message import Message
from yarnml.wire.offers import Lanes
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Listener, Receipt, Status
from yarnml.wire.zmq.guard import Tally
from yarnml.wire.zmq.inbox import SOCKET, Inbox
from yarnml.wire.zmq.outbox import Item, Outbox
from yarnml.wire.zmq.sockets import DONTWAIT, put

OUTBOX_POLL = 0.001  # s between looks at a slow peer: neither ROUTER nor a ring says that there is room again
_SENT, _GONE = Receipt(Status.SENT), Receipt(Status.GONE)  # of what is lent nothing


@final
class ZmqListener(Listener):
    """By lanes in shared memory to the peers that have offered one."""

    def __init__(
        self, socket: zmq.Socket[bytes], spin: Spin, lanes: Lanes | None, refused_at_door: Tally | None
    ) -> None:
        self._socket = socket
        self._inbox = Inbox(socket, spin, None if lanes is None else lanes.bell, named=True)
        self._lanes = lanes
        self._heard: dict[str, Lane] = {} if lanes is None else lanes.heard
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
        end, left, outbox = monotonic() + timeout, timeout, self._outbox
        while True:
            if outbox.waiting:
                outbox.flush()
            where = self._inbox.where(min(left, OUTBOX_POLL) if outbox.waiting else left)
            if where is not None and (came := self._by_socket() if where == SOCKET else self._by_ring(where)):
                return came
            left = end - monotonic()
            if where is None and left <= 0:
                return None

    def _by_ring(self, rope: int) -> tuple[str, Message] | None:
        known = None if self._lanes is None else self._lanes.at(rope)
        if known is None:
            return None
        peer, lane = known
        try:
            frames = lane.take()
            return None if frames is None else (peer, decode(frames))
        except WireError:
            self._nonsense += 1
            return None

    def _by_socket(self) -> tuple[str, Message] | None:
        name, *frames = self._inbox.read()
        try:
            peer = name.decode()
        except ValueError:
            self._nonsense += 1
            return None
        try:
            return peer, decode(frames)
        except WireError:
            self._heed(peer, frames[0])
            return None

    def _heed(self, peer: str, frame: bytes) -> None:
        """A frame that is no message may be an offer of memory, or a knock."""
        answer = None if self._lanes is None else self._lanes.heed(peer, frame)
        if answer is None:
            self._nonsense += 1
        elif answer:
            self._try(Item(peer, [answer]))

    def send(self, peer: str, message: Message, *, track: bool = False) -> Receipt:  # noqa: ARG002 (always tracked)
        frames = encode(message)
        outbox, lane = self._outbox, self._heard.get(peer)
        if not outbox.waiting and (len(frames) == 1 or lane is not None):
            status = self._by_socket_to(peer, frames) if lane is None else self._by_ring_to(peer, lane, frames)
            if status is not Status.FULL:
                return _SENT if status is Status.SENT else _GONE
        if outbox.full(peer):
            return Receipt(Status.FULL)
        item = Item(peer, frames)
        outbox.send(item)
        return item.receipt

    def _try(self, item: Item) -> Status:
        """FULL if the peer has no room now."""
        lane = self._heard.get(item.peer)
        if lane is not None:
            return self._by_ring_to(item.peer, lane, item.frames)
        status = self._by_socket_to(item.peer, item.frames, item.receipt.lent)
        if item.receipt.lent:
            self._inbox.rest()
        return status

    def _by_ring_to(self, peer: str, lane: Lane, frames: list[Frame]) -> Status:
        sent = lane.send(frames)
        if lane.to_knock() and self._by_socket_to(peer, [KNOCK]) is Status.GONE:
            return Status.GONE
        return Status.SENT if sent else Status.FULL

    def _by_socket_to(self, peer: str, frames: list[Frame], lent: list[Any] | None = None) -> Status:
        try:
            return put(self._socket, [peer.encode(), *frames], DONTWAIT, lent)
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            if self._lanes is not None:
                self._lanes.lost(peer)
            return Status.GONE

    def close(self) -> None:
        self._socket.close()
        if self._lanes is not None:
            self._lanes.close()
