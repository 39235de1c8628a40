"""A DEALER as a channel."""

from __future__ import annotations

from time import monotonic
from typing import final

import zmq

from yarnml.wire.frames import WireError, decode, encode
from yarnml.wire.lane import Offering
from yarnml.wire.message import Message
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Channel, Status
from yarnml.wire.zmq.sockets import Inbox, put


@final
class ZmqChannel(Channel):
    """With shared memory for what is large, if it is offered and the listener takes it."""

    def __init__(self, socket: zmq.Socket[bytes], spin: Spin, offering: Offering | None) -> None:
        self.socket = socket
        self._inbox = Inbox(socket, spin, named=False)
        self._offering = offering
        self._to_offer = b"" if offering is None else offering.frame
        self.refused = 0

    def send(self, message: Message) -> Status:
        if self._to_offer:
            if put(self.socket, [self._to_offer], 0) is Status.FULL:
                return Status.FULL
            self._to_offer = b""
        frames = encode(message)
        if len(frames) == 1 or self._offering is None or (lane := self._offering.lane) is None:
            return put(self.socket, frames, 0)
        frames = lane.load(frames)
        status = put(self.socket, frames, 0)
        if status is Status.FULL:
            lane.recall(frames)
        return status

    def recv(self, timeout: float = 0.0) -> Message | None:
        end = monotonic() + timeout if timeout > 0 else 0.0
        while True:
            came = self._inbox.take(end - monotonic() if timeout > 0 else 0.0)
            if came is None:
                return None
            try:
                if len(came) > 1 and self._offering is not None and self._offering.lane is not None:
                    came = self._offering.lane.unload(came)
                return decode(came)
            except WireError:
                self.refused += self._offering is None or not self._offering.heed(came[0])

    def close(self) -> None:
        self.socket.close()
        if self._offering is not None:
            self._offering.close()
