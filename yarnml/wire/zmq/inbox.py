"""An inbox: where messages come to one end of a transport, by its socket or by the rings beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, final

import zmq

from yarnml.wire.bell import Bell
from yarnml.wire.frames import SMALL
from yarnml.wire.spin import Spin
from yarnml.wire.zmq.sockets import EVENTS, POLLIN, option

SOCKET = -1  # in the place of a rope
TURNS = 4  # glances of which one is at the socket too


@final
class Inbox:
    """The receiving side of one socket, and of the rings beside it."""

    def __init__(self, socket: zmq.Socket[bytes], spin: Spin, bell: Bell | None, *, named: bool) -> None:
        """`bell`: of the rings; `named`: the socket's messages begin with a frame that says whose they are."""
        self.socket, self.bell = socket, bell
        self._spin = spin
        self._named = named
        self._first: Any = None  # frame of a message that has been waited for
        self._timeout = -1  # ms, as set
        self._turn = 0

    def where(self, timeout: float) -> int | None:
        """Where a message has come: SOCKET, or the number of a rope that was pulled; None if none comes in `timeout`
        seconds."""
        if timeout <= 0:
            return self._look()
        if self.bell is None:
            found = self._spin.until(self._look)
            return self._wait(timeout) if found is None else found
        found = self._glance()
        found = self._spin.until(self._glance) if found is None else found
        return self._look() if found is None and wait([self], timeout) else found

    def _glance(self) -> int | None:
        """Rings, and the socket as well now and then: it takes as long as three of them."""
        self._turn = (self._turn + 1) % TURNS
        return self.bell.answer() if self.bell is not None and self._turn else self._look()

    def _look(self) -> int | None:
        """The socket first: little comes there where there are rings."""
        if self._by_socket:
            return SOCKET
        return None if self.bell is None else self.bell.answer()

    @property
    def _by_socket(self) -> bool:
        """Whether the socket has a message. To try, and be refused by an exception, takes five times as long."""
        return bool(option(self.socket, EVENTS) & POLLIN)

    def _wait(self, timeout: float) -> int | None:
        """For the first frame: to look for it and then take it costs more."""
        milliseconds = math.ceil(timeout * 1000)
        if milliseconds != self._timeout:
            self._timeout = milliseconds
            self.socket.setsockopt(zmq.RCVTIMEO, milliseconds)
        try:
            self._first = self.socket.recv(0, self._named)
        except zmq.Again:
            return None
        return SOCKET

    def read(self) -> list[Any]:
        """The message that has come by the socket: the name if there is one and the first frame, copied to aligned
        memory, then buffers as they lie."""
        first, self._first = self._first, None
        if first is None:
            first = self.socket.recv(0, self._named)
        frame = self.socket.recv(0, False) if self._named else first
        frames = [first, frame.bytes] if self._named else [frame.bytes]
        if frame.more:  # to ask the frame takes less than to ask the socket
            while frame.more:
                frame = self.socket.recv(0, False)
                frames.append(frame.buffer)
            if len(frames[-1]) >= SMALL:
                self._spin.rest()
        return frames

    @property
    def holds(self) -> bool:
        """Whether a message has come, which is left there."""
        return (self.bell is not None and self.bell.rings) or self._by_socket

    def rest(self) -> None:
        """Bulk has been sent: see `Spin.rest`."""
        self._spin.rest()


def holds(inboxes: Sequence[Inbox]) -> bool | None:
    """True if one of these has a message, else None."""
    return True if any(inbox.holds for inbox in inboxes) else None


def wait(inboxes: Sequence[Inbox], timeout: float) -> bool:
    """Sleep until one of these has a message; False if none has within `timeout` seconds."""
    bells = [inbox.bell for inbox in inboxes if inbox.bell is not None]
    polled: list[Any] = [(inbox.socket, POLLIN) for inbox in inboxes]
    polled += [(bell.alarm.number, POLLIN) for bell in bells[:1]]  # they have it in common
    for bell in bells:
        bell.sleep()
    found = [] if holds(inboxes) else zmq.zmq_poll(polled, max(0, math.ceil(timeout * 1000)))
    for bell in bells:
        bell.wake()
    if bells and (bells[0].alarm.number, POLLIN) in found:
        bells[0].alarm.stop()
    return bool(holds(inboxes))
