"""ZeroMQ as a transport: ROUTER a listener, DEALER a channel. Options are set on purpose: defaults lose messages."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic, perf_counter
from typing import Any, final

import numpy as np
import zmq
import zmq.backend

from yarnml.wire.frames import Frame, WireError, decode, encode
from yarnml.wire.message import Message
from yarnml.wire.transport import Channel, Listener, Receipt, Status, Transport

SMALL = 1 << 16  # bytes below which a copy is cheaper than sharing; received ones are also misaligned
WATER = 256  # messages queued a peer and direction
RESTS = 256
OUTBOX_POLL = 0.001  # s between looks at a slow peer: ROUTER can't say which peer has room again
# plain ints: the enums' operators are slower than a send
DONTWAIT, SNDMORE, EVENTS, POLLIN = int(zmq.DONTWAIT), int(zmq.SNDMORE), int(zmq.EVENTS), int(zmq.POLLIN)
COMMON = {
    zmq.SNDHWM: WATER,
    zmq.RCVHWM: WATER,
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
        self._wait = _Wait(spin)

    def listen(self, host: str = "127.0.0.1") -> Listener:
        socket = _socket(self._context, zmq.ROUTER, LISTENER)
        socket.bind(f"tcp://{host}:*")
        return ZmqListener(socket, self._wait)

    def connect(self, address: str, name: str) -> Channel:
        socket = _socket(self._context, zmq.DEALER, CHANNEL)
        socket.setsockopt(zmq.IDENTITY, name.encode())
        socket.connect(address)
        return ZmqChannel(socket, self._wait)

    def wait(self, channels: Sequence[Channel], timeout: float) -> bool:
        return self._wait([c.socket for c in channels if isinstance(c, ZmqChannel)], timeout)

    def close(self) -> None:
        self._context.term()


@final
class ZmqChannel(Channel):
    """A DEALER."""

    def __init__(self, socket: zmq.Socket[bytes], wait: _Wait) -> None:
        self.socket = socket
        self._wait = wait
        self.refused = 0

    def send(self, message: Message) -> Status:
        return _send(self.socket, encode(message), 0)

    def recv(self, timeout: float = 0.0) -> Message | None:
        end = monotonic() + timeout if timeout > 0 else 0.0
        while _readable(self.socket) or (timeout > 0 and self._wait([self.socket], end - monotonic())):
            try:
                return decode(_settle(_recv(self.socket)))
            except WireError:
                self.refused += 1
        return None

    def close(self) -> None:
        self.socket.close()


class _Pending(Receipt):
    """A receipt that hears from ZeroMQ when the lent buffers are free."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.trackers: list[Any] = []

    @property
    def done(self) -> bool:
        return self.status is not Status.WAITS and all(t.done for t in self.trackers)


@final
class ZmqListener(Listener):
    """A ROUTER, with an outbox for each peer that reads more slowly than it is written to."""

    def __init__(self, socket: zmq.Socket[bytes], wait: _Wait) -> None:
        self.socket = socket
        self._wait = wait
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
            left = min(end - monotonic(), OUTBOX_POLL) if self._outbox else end - monotonic()
            if _readable(self.socket) or (left > 0 and self._wait([self.socket], left)):
                try:
                    peer, *frames = _recv(self.socket)
                    return peer.bytes.decode(), decode(_settle(frames))
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
            status = _send(self.socket, frames, DONTWAIT, receipt.trackers if track else None)
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                raise
            status = Status.GONE
        if status is Status.FULL:
            return False
        receipt.status = status
        return True

    def close(self) -> None:
        self.socket.close()


def _socket(context: zmq.Context[Any], kind: int, options: dict[zmq.SocketOption, int]) -> zmq.Socket[bytes]:
    socket: zmq.Socket[bytes] = context.socket(kind)
    for option, value in (COMMON | options).items():
        socket.setsockopt(option, value)
    return socket


def _send(socket: zmq.Socket[bytes], frames: list[Any], flags: int, trackers: list[Any] | None = None) -> Status:
    """All frames or none: only the first one can find the peer without room."""
    last = len(frames) - 1
    try:
        socket.send(frames[0], flags | (SNDMORE if last else 0))
    except zmq.Again:
        return Status.FULL
    for i in range(1, last + 1):
        frame = frames[i]
        big = isinstance(frame, np.ndarray) and frame.nbytes >= SMALL
        track = big and trackers is not None
        try:
            tracker = socket.send(frame, flags | (SNDMORE if i < last else 0), copy=not big, track=track)
        except zmq.Again:  # the connection broke within the message: the rest must be said, and goes nowhere
            continue
        if track and trackers is not None:
            trackers.append(tracker)
    return Status.SENT


def _recv(socket: zmq.Socket[bytes]) -> list[zmq.Frame]:
    frame = socket.recv(copy=False)
    frames = [frame]
    while frame.more:
        frame = socket.recv(copy=False)
        frames.append(frame)
    return frames


def _settle(frames: list[zmq.Frame]) -> list[Any]:
    """Small frames copied to aligned memory of their own, large ones as they lie."""
    if not frames:
        raise WireError("no frame")
    settled: list[Any] = [frames[0].bytes]
    for frame in frames[1:]:
        large = len(frame) >= SMALL
        settled.append(frame.buffer if large else np.frombuffer(frame.buffer, np.uint8).copy())
    return settled


@final
class _Wait:
    """Waits for sockets: looks for a while, giving the core away in between, and then sleeps.

    Looking halves a round trip between two processes of one host, where a core has nothing better to do. Where a core
    has, or where what comes takes longer anyhow, it costs: each time in vain it is left out twice as often.
    """

    def __init__(self, spin: float) -> None:
        self._spin = spin
        self._rests = 1  # waits without looking after the next one in vain
        self._resting = 0

    def __call__(self, sockets: list[zmq.Socket[bytes]], timeout: float) -> bool:
        """True once any socket can be read; False if none can within `timeout` seconds."""
        start = perf_counter()
        if self._look(sockets, start, timeout):
            return True
        left = timeout - (perf_counter() - start)
        return left > 0 and bool(zmq.zmq_poll([(s, POLLIN) for s in sockets], max(1, round(left * 1000))))

    def _look(self, sockets: list[zmq.Socket[bytes]], start: float, timeout: float) -> bool:
        if self._resting or timeout < self._spin:
            self._resting = max(0, self._resting - 1)
            return _any_readable(sockets)
        if _any_readable(sockets):
            return True
        while not _any_readable(sockets):
            os.sched_yield()
            if perf_counter() - start > self._spin:
                self._resting = self._rests
                self._rests = min(2 * self._rests, RESTS)
                return _any_readable(sockets)
        self._rests = 1  # it paid
        return True


_option: Callable[..., Any] = zmq.backend.Socket.get  # the sugared one makes an enum


def _any_readable(sockets: list[zmq.Socket[bytes]]) -> bool:
    return _readable(sockets[0]) if len(sockets) == 1 else any(map(_readable, sockets))


def _readable(socket: zmq.Socket[bytes]) -> bool:
    return bool(_option(socket, EVENTS) & POLLIN)
