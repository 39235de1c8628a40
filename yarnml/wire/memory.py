"""Memory as a transport: between threads of one process, which share nothing but the copies that they are sent."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from threading import Condition
from time import monotonic
from typing import Any, final

import numpy as np

from yarnml.wire.frames import Frame, WireError, decode, encode
from yarnml.wire.message import Message
from yarnml.wire.transport import Channel, Listener, Receipt, Status, Transport


class Exchange:
    """Where the threads of one process meet: the listeners by address."""

    def __init__(self) -> None:
        self.changed = Condition()
        self.listeners: dict[str, MemoryListener] = {}
        self.numbers = itertools.count()


@final
class MemoryTransport(Transport):
    """Messages are encoded and copied as on a real wire. For tests."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def listen(self, host: str = "127.0.0.1") -> Listener:
        with self._exchange.changed:
            listener = MemoryListener(self._exchange, f"memory://{host}/{next(self._exchange.numbers)}")
            self._exchange.listeners[listener.address] = listener
        return listener

    def connect(self, address: str, name: str) -> Channel:
        return MemoryChannel(self._exchange, address, name)

    def wait(self, channels: Sequence[Channel], timeout: float) -> bool:
        mine = [c for c in channels if isinstance(c, MemoryChannel)]
        with self._exchange.changed:
            return self._exchange.changed.wait_for(lambda: any(c.inbox for c in mine), timeout)

    def close(self) -> None:
        """Nothing is shared beyond the exchange."""


@final
class MemoryListener(Listener):
    """An inbox, and the channels by name."""

    def __init__(self, exchange: Exchange, address: str) -> None:
        self._exchange = exchange
        self._address = address
        self.inbox: deque[tuple[str, list[Any]]] = deque()
        self.peers: dict[str, MemoryChannel] = {}
        self._nonsense = 0

    @property
    def address(self) -> str:
        return self._address

    @property
    def refused(self) -> int:
        return self._nonsense

    def recv(self, timeout: float = 0.0) -> tuple[str, Message] | None:
        while True:
            with self._exchange.changed:
                if not self._exchange.changed.wait_for(lambda: self.inbox, timeout):
                    return None
                peer, frames = self.inbox.popleft()
            try:
                return peer, decode(frames)
            except WireError:
                self._nonsense += 1

    def send(self, peer: str, message: Message, *, track: bool = False) -> Receipt:  # noqa: ARG002 (copied at once)
        frames = _copied(encode(message))
        with self._exchange.changed:
            channel = self.peers.get(peer)
            if channel is None:
                return Receipt(Status.GONE)
            channel.inbox.append(frames)
            self._exchange.changed.notify_all()
        return Receipt(Status.SENT)

    def close(self) -> None:
        with self._exchange.changed:
            self._exchange.listeners.pop(self._address, None)


@final
class MemoryChannel(Channel):
    """An inbox, and the address of a listener."""

    def __init__(self, exchange: Exchange, address: str, name: str) -> None:
        self._exchange = exchange
        self._address = address
        self._name = name
        self.inbox: deque[list[Any]] = deque()

    def send(self, message: Message) -> Status:
        frames = _copied(encode(message))
        end = monotonic() + 1.0
        with self._exchange.changed:
            while (listener := self._exchange.listeners.get(self._address)) is None:
                if not self._exchange.changed.wait(end - monotonic()):
                    return Status.FULL
            listener.peers[self._name] = self
            listener.inbox.append((self._name, frames))
            self._exchange.changed.notify_all()
        return Status.SENT

    def recv(self, timeout: float = 0.0) -> Message | None:
        while True:
            with self._exchange.changed:
                if not self._exchange.changed.wait_for(lambda: self.inbox, timeout):
                    return None
                frames = self.inbox.popleft()
            try:
                return decode(frames)
            except WireError:
                self.refused += 1

    def close(self) -> None:
        with self._exchange.changed:
            listener = self._exchange.listeners.get(self._address)
            if listener is not None and listener.peers.get(self._name) is self:
                del listener.peers[self._name]


def _copied(frames: list[Frame]) -> list[Any]:
    return [frame.copy() if isinstance(frame, np.ndarray) else frame for frame in frames]
