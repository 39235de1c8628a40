"""A ROUTER as a listener."""

from __future__ import annotations

import weakref
from collections import deque
from time import monotonic
from typing import Any, final

import zmq

from yarnml.wire.frames import Frame, WireError, decode, encode
from yarnml.wire.message import Message
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Listener, Receipt, Status
from yarnml.wire.zmq.sockets import DONTWAIT, Inbox, put, settled

OUTBOX_POLL = 0.001  # s between looks at a slow peer: ROUTER can't say which peer has room again


class _Pending(Receipt):
    """A receipt that knows when ZeroMQ has let go of the lent buffers; its own trackers cost three times as much."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.lent: list[weakref.ref[Any]] = []  # views that ZeroMQ alone holds, as long as it reads them

    @property
    def done(self) -> bool:
        return self.status is not Status.WAITS and all(view() is None for view in self.lent)


@final
class ZmqListener(Listener):
    """A ROUTER, with an outbox for each peer that reads more slowly than it is written to."""

    def __init__(self, socket: zmq.Socket[bytes], spin: Spin) -> None:
        self.socket = socket
        self._inbox = Inbox(socket, spin)
        self._outbox: dict[str, deque[tuple[list[Frame], _Pending, bool]]] = {}
        self._address = socket.getsockopt_string(zmq.LAST_ENDPOINT)
        self.refused = 0

    @property
    def address(self) -> str:
        return self._address

    def recv(self, timeout: float = 0.0) -> tuple[str, Message] | None:
        end = monotonic() + timeout
        while True:
            if self._outbox:
                self._flush()
            left = end - monotonic()
            frames = self._inbox.take(min(left, OUTBOX_POLL) if self._outbox else left)
            if frames is not None:
                try:
                    return frames[0].bytes.decode(), decode(settled(frames[1:]))
                except (WireError, UnicodeDecodeError):
                    self.refused += 1
            elif monotonic() >= end:
                return None

    def send(self, peer: str, message: Message, *, track: bool = False) -> Receipt:
        receipt = _Pending(Status.WAITS)
        item = ([peer.encode(), *encode(message)], receipt, track)
        if peer in self._outbox or not self._try(*item):
            self._outbox.setdefault(peer, deque()).append(item)
        return receipt

    def _flush(self) -> None:
        for peer in list(self._outbox):
            queue = self._outbox[peer]
            while queue and self._try(*queue[0]):
                queue.popleft()
            if not queue:
                del self._outbox[peer]

    def _try(self, frames: list[Frame], receipt: _Pending, track: bool) -> bool:
        """False if the peer has no room now."""
        try:
            status = put(self.socket, frames, DONTWAIT, receipt.lent if track else None)
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            status = Status.GONE
        if status is Status.FULL:
            return False
        receipt.status = status
        if receipt.lent:
            self._inbox.rest()
        return True

    def close(self) -> None:
        self.socket.close()
