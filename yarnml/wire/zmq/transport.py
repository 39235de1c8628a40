"""ZeroMQ's transport: TCP between any hosts, with shared memory past it between processes of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import zmq

from yarnml.wire.alarm import Alarm
from yarnml.wire.keys import Keys
from yarnml.wire.offers import Lanes, Offering
from yarnml.wire.spin import Spin
from yarnml.wire.transport import Channel, Listener, Transport
from yarnml.wire.zmq import curve
from yarnml.wire.zmq.channel import ZmqChannel
from yarnml.wire.zmq.guard import Guard
from yarnml.wire.zmq.inbox import holds, wait
from yarnml.wire.zmq.listener import ZmqListener
from yarnml.wire.zmq.sockets import CHANNEL, LISTENER, made


@final
class ZmqTransport(Transport):
    """Messages go over TCP, and past it wherever both processes see the same memory."""

    def __init__(self, *, spin: float = 200e-6, shared: bool = True, keys: Keys | None = None) -> None:
        """`spin`: seconds to look for a message before sleeping, 0 for none. `shared`: use shared memory.

        `keys`: all that goes over TCP is encrypted, and who hasn't these keys is refused.
        """
        self._context = zmq.Context()
        self._keys = keys
        self._guard: Guard | None = None
        self._spin = Spin(spin)
        self._alarm = Alarm() if shared else None

    def listen(self, host: str = "127.0.0.1") -> Listener:
        socket = made(self._context, zmq.ROUTER, LISTENER)
        tally = None
        if self._keys is not None:
            self._guard = self._guard or Guard(self._context, self._keys)
            tally = self._guard.watch(socket)
            curve.listens(socket, self._keys)
        socket.bind(f"tcp://{host}:*")
        return ZmqListener(socket, self._spin, None if self._alarm is None else Lanes(self._alarm), tally)

    def connect(self, address: str, name: str) -> Channel:
        socket = made(self._context, zmq.DEALER, CHANNEL)
        socket.setsockopt(zmq.IDENTITY, name.encode())
        if self._keys is not None:
            curve.connects(socket, self._keys)
        socket.connect(address)
        return ZmqChannel(socket, self._spin, None if self._alarm is None else Offering(self._alarm))

    def wait(self, channels: Sequence[Channel], timeout: float) -> bool:
        inboxes = [c.inbox for c in channels if isinstance(c, ZmqChannel)]
        return bool(holds(inboxes) or self._spin.until(lambda: holds(inboxes)) or wait(inboxes, timeout))

    def close(self) -> None:
        if self._guard is not None:
            self._guard.close()
        self._context.term()
        if self._alarm is not None:
            self._alarm.close()
