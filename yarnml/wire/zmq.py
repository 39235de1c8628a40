"""ZeroMQ as a transport: ROUTER a listener, DEALER a channel. Options are set on purpose: defaults lose messages."""

from __future__ import annotations

import math
import os
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic, perf_counter
from typing import Any, TypeVar, final

import numpy as np
import zmq
import zmq.backend

from yarnml.wire.frames import SMALL, Frame, WireError, decode, encode
from yarnml.wire.message import Message
from yarnml.wire.transport import Channel, Listener, Receipt, Status, Transport

WATER = 256  # messages queued for a peer before it counts as slow
T = TypeVar("T")
RESTS = 256
BULK_RESTS = 8
OUTBOX_POLL = 0.001  # s between looks at a slow peer: ROUTER can't say which peer has room again
# plain ints: the enums' operators are slower than a send
DONTWAIT, SNDMORE, EVENTS, POLLIN = int(zmq.DONTWAIT), int(zmq.SNDMORE), int(zmq.EVENTS), int(zmq.POLLIN)
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


@final
class ZmqTransport(Transport):
    """TCP between any hosts. `spin`: seconds to look for a message before sleeping, 0 for none."""

    def __init__(self, *, spin: float = 200e-6) -> None:
        self._context = zmq.Context()
        self._spin = _Spin(spin)

    def listen(self, host: str = "127.0.0.1") -> Listener:
        socket = _socket(self._context, zmq.ROUTER, LISTENER)
        socket.bind(f"tcp://{host}:*")
        return ZmqListener(socket, self._spin)

    def connect(self, address: str, name: str) -> Channel:
        socket = _socket(self._context, zmq.DEALER, CHANNEL)
        socket.setsockopt(zmq.IDENTITY, name.encode())
        socket.connect(address)
        return ZmqChannel(socket, self._spin)

    def wait(self, channels: Sequence[Channel], timeout: float) -> bool:
        sockets = [c.socket for c in channels if isinstance(c, ZmqChannel)]
        if _readable(sockets) or self._spin.until(lambda: _readable(sockets)):
            return True
        return bool(zmq.zmq_poll([(s, POLLIN) for s in sockets], max(0, math.ceil(timeout * 1000))))

    def close(self) -> None:
        self._context.term()


@final
class ZmqChannel(Channel):
    """A DEALER."""

    def __init__(self, socket: zmq.Socket[bytes], spin: _Spin) -> None:
        self.socket = socket
        self._inbox = _Inbox(socket, spin)
        self.refused = 0

    def send(self, message: Message) -> Status:
        return _send(self.socket, encode(message), 0)

    def recv(self, timeout: float = 0.0) -> Message | None:
        end = monotonic() + timeout if timeout > 0 else 0.0
        while True:
            frames = self._inbox.take(end - monotonic() if timeout > 0 else 0.0)
            if frames is None:
                return None
            try:
                return decode(_settle(frames))
            except WireError:
                self.refused += 1

    def close(self) -> None:
        self.socket.close()


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

    def __init__(self, socket: zmq.Socket[bytes], spin: _Spin) -> None:
        self.socket = socket
        self._inbox = _Inbox(socket, spin)
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
                    return frames[0].bytes.decode(), decode(_settle(frames[1:]))
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
            status = _send(self.socket, frames, DONTWAIT, receipt.lent if track else None)
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


def _socket(context: zmq.Context[Any], kind: int, options: dict[zmq.SocketOption, int]) -> zmq.Socket[bytes]:
    socket: zmq.Socket[bytes] = context.socket(kind)
    for option, value in (COMMON | options).items():
        socket.setsockopt(option, value)
    return socket


def _send(socket: zmq.Socket[bytes], frames: list[Any], flags: int, lent: list[Any] | None = None) -> Status:
    """All frames or none: only the first one can find the peer without room."""
    last = len(frames) - 1
    try:
        socket.send(frames[0], flags | (SNDMORE if last else 0))
    except zmq.Again:
        return Status.FULL
    for i in range(1, last + 1):
        frame = frames[i]
        big = isinstance(frame, np.ndarray) and frame.nbytes >= SMALL
        if big and lent is not None:
            frame = frame.view()
            lent.append(weakref.ref(frame))
        try:
            socket.send(frame, flags | (SNDMORE if i < last else 0), copy=not big)
        except zmq.Again:  # the connection broke within the message: the rest must be said, and goes nowhere
            continue
    return Status.SENT


@final
class _Inbox:
    """The receiving side of one socket."""

    def __init__(self, socket: zmq.Socket[bytes], spin: _Spin) -> None:
        self._socket = socket
        self._spin = spin
        self._timeout = -1  # ms, as set

    def take(self, timeout: float) -> list[zmq.Frame] | None:
        """The frames of the next message, or None if none comes within `timeout` seconds."""
        frame = self._now()
        if frame is None and timeout > 0:
            frame = self._spin.until(self._now) or self._wait(timeout)
        if frame is None:
            return None
        frames = [frame]
        while frame.more:
            frame = self._socket.recv(0, copy=False)
            frames.append(frame)
        if len(frame) >= SMALL:
            self._spin.rest()
        return frames

    def _now(self) -> zmq.Frame | None:
        try:
            return self._socket.recv(DONTWAIT, copy=False)
        except zmq.Again:
            return None

    def _wait(self, timeout: float) -> zmq.Frame | None:
        milliseconds = math.ceil(timeout * 1000)
        if milliseconds != self._timeout:
            self._timeout = milliseconds
            self._socket.setsockopt(zmq.RCVTIMEO, milliseconds)
        try:
            return self._socket.recv(0, copy=False)
        except zmq.Again:
            return None

    def rest(self) -> None:
        """Bulk has been sent: see `_Spin.rest`."""
        self._spin.rest()


def _settle(frames: list[zmq.Frame]) -> list[Any]:
    """The first frame, which holds all that is small, copied to aligned memory; the large ones as they lie."""
    if not frames:
        raise WireError("no frame")
    return [frames[0].bytes, *(frame.buffer for frame in frames[1:])]


@final
class _Spin:
    """Looks for messages for a while, giving the core away in between, before its thread goes to sleep.

    It halves a round trip between two processes of one host, where a core has nothing better to do. Where one has, or
    what comes takes longer anyhow, it costs: each time in vain it is left out twice as often, and after bulk too.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._rests = 1  # times to leave it out after the next one in vain
        self._resting = 0

    def until(self, look: Callable[[], T | None]) -> T | None:
        """What `look` finds, or None if it is time to sleep."""
        if not self._seconds:
            return None
        if self._resting:
            self._resting -= 1
            return None
        end = perf_counter() + self._seconds
        while perf_counter() < end:
            os.sched_yield()
            found = look()
            if found is not None:
                self._rests = 1  # it paid
                return found
        self._resting = self._rests
        self._rests = min(2 * self._rests, RESTS)
        return None

    def rest(self) -> None:
        """Bulk has come or gone: more of it is bound by the threads that copy, which want the core."""
        self._resting = max(self._resting, BULK_RESTS)


def _readable(sockets: list[zmq.Socket[bytes]]) -> bool | None:
    return True if any(_option(socket, EVENTS) & POLLIN for socket in sockets) else None


_option: Callable[..., Any] = zmq.backend.Socket.get  # the sugared one makes an enum
