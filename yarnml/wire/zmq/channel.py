"""A DEALER as a channel."""

from __future__ import annotations

from time import monotonic, sleep
from typing import final

import zmq

from yarnml.wire.frames import Frame, WireError, decode, encode
from yarnml.wire.lane import KNOCK, Lane
from yarnml.wire.message import Message
from yarnml.wire.offers import Offering
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Channel, Status
from yarnml.wire.zmq.inbox import SOCKET, Inbox
from yarnml.wire.zmq.sockets import CHANNEL, DONTWAIT, put

FULL_POLL = 0.0005  # s between looks at a ring that is full
PATIENCE = CHANNEL[zmq.SNDTIMEO] / 1000  # s


@final
class ZmqChannel(Channel):
    """By a lane in shared memory, once it was offered and the listener has taken it."""

    def __init__(self, socket: zmq.Socket[bytes], spin: Spin, offering: Offering | None) -> None:
        self._socket = socket
        self._offering = offering
        self._to_offer = b"" if offering is None else offering.frame
        self._lane: Lane | None = None
        self.inbox = Inbox(socket, spin, None if offering is None else offering.bell, named=False)
        self.refused = 0

    def send(self, message: Message) -> Status:
        frames = encode(message)
        if self._lane is not None:
            return self._send_by(self._lane, frames)
        if self._to_offer:
            if put(self._socket, [self._to_offer], 0) is Status.FULL:
                return Status.FULL
            self._to_offer = b""
        return put(self._socket, frames, 0)

    def _send_by(self, lane: Lane, frames: list[Frame]) -> Status:
        sent = lane.send(frames)
        self._knock(lane)
        if not sent:
            end = monotonic() + PATIENCE
            while not (sent := lane.send(frames)) and monotonic() < end:
                sleep(FULL_POLL)
        return Status.SENT if sent else Status.FULL

    def _knock(self, lane: Lane) -> None:
        if lane.to_knock():
            put(self._socket, [KNOCK], DONTWAIT)

    def recv(self, timeout: float = 0.0) -> Message | None:
        end, left = monotonic() + timeout, timeout
        while True:
            where = self.inbox.where(left)
            if where is not None and (message := self._by_socket() if where == SOCKET else self._by_ring()):
                return message
            left = end - monotonic()
            if where is None and left <= 0:
                if self._lane is not None:
                    self._knock(self._lane)  # the first may have got lost with a connection
                return None

    def _by_ring(self) -> Message | None:
        try:
            frames = None if self._lane is None else self._lane.take()
            return None if frames is None else decode(frames)
        except WireError:
            self.refused += 1
            return None

    def _by_socket(self) -> Message | None:
        frames = self.inbox.read()
        try:
            return decode(frames)
        except WireError:
            if self._offering is not None and self._offering.heed(frames[0]):
                self._lane = self._offering.lane
            else:
                self.refused += 1
            return None

    def close(self) -> None:
        self._socket.close()
        if self._offering is not None:
            self._offering.close()
