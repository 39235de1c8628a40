"""A DEALER as a channel."""

from __future__ import annotations

from time import monotonic
from typing import final

import zmq

from yarnml.wire.frames import WireError, decode, encode
from yarnml.wire.message import Message
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Channel, Status
from yarnml.wire.zmq.sockets import Inbox, put, settled


@final
class ZmqChannel(Channel):
    """A DEALER."""

    def __init__(self, socket: zmq.Socket[bytes], spin: Spin) -> None:
        self.socket = socket
        self._inbox = Inbox(socket, spin)
        self.refused = 0

    def send(self, message: Message) -> Status:
        return put(self.socket, encode(message), 0)

    def recv(self, timeout: float = 0.0) -> Message | None:
        end = monotonic() + timeout if timeout > 0 else 0.0
        while True:
            frames = self._inbox.take(end - monotonic() if timeout > 0 else 0.0)
            if frames is None:
                return None
            try:
                return decode(settled(frames))
            except WireError:
                self.refused += 1

    def close(self) -> None:
        self.socket.close()
