"""Sockets with every option set on purpose: ZeroMQ's defaults lose messages, hang at exit and shut peers out."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any, final

import numpy as np
import zmq
import zmq.backend

from yarnml.wire.frames import SMALL
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Status

WATER = 256  # messages queued for a peer before it counts as slow
# plain ints: the enums' operators are slower than a send
DONTWAIT, SNDMORE, POLLIN = int(zmq.DONTWAIT), int(zmq.SNDMORE), int(zmq.POLLIN)
EVENTS = int(zmq.EVENTS)
COMMON = {
    zmq.SNDHWM: WATER,
    # No limit: at one, ZeroMQ stops reading, hears no heartbeat, and drops the connection with all that waits in it
    # while its owner merely computes. What may come is bounded by those who send: windows, clocks, requests.
    zmq.RCVHWM: 0,
    zmq.LINGER: 2000,  # ms: 0 drops what was just sent, -1 hangs at exit
    zmq.HEARTBEAT_IVL: 200,  # ms; a stopped host is seen after TIMEOUT
    zmq.HEARTBEAT_TIMEOUT: 600,
    zmq.MAXMSGSIZE: 1 << 32,
}
LISTENER = {
    zmq.ROUTER_MANDATORY: 1,  # an unknown or slow peer is an error, not a silent drop
    zmq.ROUTER_HANDOVER: 1,  # a restarted peer takes its name from the half-dead one
}
CHANNEL = {
    zmq.IMMEDIATE: 1,  # queue to a living connection only
    zmq.SNDTIMEO: 1000,  # ms
    zmq.RECONNECT_IVL: 50,
    zmq.RECONNECT_IVL_MAX: 1000,
}


def made(context: zmq.Context[Any], kind: int, options: dict[zmq.SocketOption, int]) -> zmq.Socket[bytes]:
    """A socket with the common options and these."""
    socket: zmq.Socket[bytes] = context.socket(kind)
    for option, value in (COMMON | options).items():
        socket.setsockopt(option, value)
    return socket


def put(socket: zmq.Socket[bytes], frames: list[Any], flags: int, lent: list[Any] | None = None) -> Status:
    """Send all frames or none: only the first one can find the peer without room.

    `lent` takes a weak reference to each view that ZeroMQ alone holds, as long as it reads it: its own trackers cost
    three times as much.
    """
    last = len(frames) - 1
    try:
        _send(socket, frames[0], flags | SNDMORE if last else flags)
    except zmq.Again:
        return Status.FULL
    for i in range(1, last + 1):
        frame = frames[i]
        big = isinstance(frame, np.ndarray) and frame.nbytes >= SMALL
        if big and lent is not None:
            frame = frame.view()
            lent.append(weakref.ref(frame))
        try:
            _send(socket, frame, flags | SNDMORE if i < last else flags, not big)
        except zmq.Again:  # the connection broke within the message: the rest must be said, and goes nowhere
            continue
    return Status.SENT


def readable(sockets: list[zmq.Socket[bytes]]) -> bool | None:
    """True if one has a message, else None."""
    return True if any(_option(socket, EVENTS) & POLLIN for socket in sockets) else None


# what the sugared ones call: they look for what isn't asked for here, and make enums
_option: Callable[..., Any] = zmq.backend.Socket.get
_send: Callable[..., Any] = zmq.backend.Socket.send


@final
class Inbox:
    """The receiving side of one socket."""

    def __init__(self, socket: zmq.Socket[bytes], spin: Spin, *, named: bool) -> None:
        """`named`: messages begin with a frame that says whose they are."""
        self._socket = socket
        self._spin = spin
        self._named = named
        self._timeout = -1  # ms, as set

    def take(self, timeout: float) -> list[Any] | None:
        """The next message, or None if none comes within `timeout` seconds: the name if there is one and the first
        frame, copied to aligned memory, then buffers as they lie."""
        if self._spin.until(self._ready) if timeout > 0 else self._ready():
            first: Any = self._socket.recv(0, self._named)
        elif timeout <= 0 or (first := self._wait(timeout)) is None:
            return None
        frame = self._socket.recv(0, False) if self._named else first
        frames = [first, frame.bytes] if self._named else [frame.bytes]
        if frame.more:  # to ask the frame takes less than to ask the socket
            while frame.more:
                frame = self._socket.recv(0, False)
                frames.append(frame.buffer)
            if len(frames[-1]) >= SMALL:
                self._spin.rest()
        return frames

    def _ready(self) -> bool | None:
        """To try, and be refused by an exception, takes five times as long."""
        return True if _option(self._socket, EVENTS) & POLLIN else None

    def _wait(self, timeout: float) -> Any:
        """The first frame of the next message."""
        milliseconds = math.ceil(timeout * 1000)
        if milliseconds != self._timeout:
            self._timeout = milliseconds
            self._socket.setsockopt(zmq.RCVTIMEO, milliseconds)
        try:
            return self._socket.recv(0, self._named)
        except zmq.Again:
            return None

    def rest(self) -> None:
        """Bulk has been sent: see `Spin.rest`."""
        self._spin.rest()
