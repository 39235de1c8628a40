"""A transport: carries messages between processes, one listener to many channels.

A transport belongs to one thread. It may lose messages when a peer dies or reconnects, and never otherwise; it never
reorders what one channel sends. Who needs more numbers its messages and sends them again (see `ps/sender.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum

from yarnml.wire.message import Message


class Status(Enum):
    """What became of a message handed to `send`."""

    SENT = "taken by the transport"
    WAITS = "the peer is slow: kept here in order, and sent by later calls of send and recv"
    FULL = "not taken: the peer is slow or not connected; try again"
    GONE = "not taken: no such peer is connected"


class Receipt:
    """The fate of one sent message; `done` once the transport no longer reads the arrays that it was lent."""

    def __init__(self, status: Status) -> None:
        self.status = status

    @property
    def done(self) -> bool:
        return self.status is not Status.WAITS


class Channel(ABC):
    """A client's end: talks to one listener."""

    refused = 0  # messages that were no messages

    @abstractmethod
    def send(self, message: Message) -> Status:
        """SENT, or FULL if it can't be taken within a second. Arrays are lent to the transport: don't change them."""

    @abstractmethod
    def recv(self, timeout: float = 0.0) -> Message | None:
        """The next message, or None if there is none within `timeout` seconds."""

    @abstractmethod
    def close(self) -> None:
        """Let go; what was sent may still go out for two seconds."""


class Listener(ABC):
    """A server's end: talks to every channel that is connected to its address."""

    @property
    @abstractmethod
    def refused(self) -> int:
        """Messages that were no messages, and connections by those who may not."""

    @property
    @abstractmethod
    def address(self) -> str:
        """What `Transport.connect` takes, on this host or another."""

    @abstractmethod
    def recv(self, timeout: float = 0.0) -> tuple[str, Message] | None:
        """The next message and the name of the peer that sent it, or None if there is none within `timeout` seconds."""

    @abstractmethod
    def send(self, peer: str, message: Message, *, track: bool = False) -> Receipt:
        """SENT, WAITS, GONE, or FULL if more waits for the peer than is kept for one; never blocks. With `track` the
        receipt tells when lent arrays are free again."""

    @abstractmethod
    def close(self) -> None:
        """Let go; what was sent may still go out for two seconds."""


class Transport(ABC):
    """Makes listeners and channels of one kind."""

    @abstractmethod
    def listen(self, host: str = "127.0.0.1") -> Listener:
        """A new listener at a free address of `host`."""

    @abstractmethod
    def connect(self, address: str, name: str) -> Channel:
        """A channel to a listener, which needn't be there yet, under a `name` that is the peer's alone there."""

    @abstractmethod
    def wait(self, channels: Sequence[Channel], timeout: float) -> bool:
        """Wait until any of the channels has a message; False if none has within `timeout` seconds."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what all listeners and channels share; they are closed before."""
