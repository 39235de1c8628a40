"""Slow: a transport whose messages take their time, each another, and stay in their order."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import final

from yarnml.wire.message import Message
from yarnml.wire.transport import Channel, Listener, Receipt, Status, Transport


@final
class Delay:
    """Most messages are quick, and some very late."""

    def __init__(self, seconds: float, rng: random.Random) -> None:
        self._seconds, self._rng = seconds, rng

    def pass_by(self) -> None:
        """Here a message is under way."""
        if self._seconds and self._rng.random() < 0.1:
            time.sleep(self._rng.expovariate(0.1 / self._seconds))


@final
class SlowTransport(Transport):
    def __init__(self, quick: Transport, seconds: float, rng: random.Random) -> None:
        self.quick = quick
        self._delay = Delay(seconds, rng)

    def listen(self, host: str = "127.0.0.1") -> SlowListener:
        return SlowListener(self.quick.listen(host), self._delay)

    def connect(self, address: str, name: str) -> SlowChannel:
        return SlowChannel(self.quick.connect(address, name), self._delay)

    def wait(self, channels: Sequence[Channel], timeout: float) -> bool:
        return self.quick.wait([c.quick for c in channels if isinstance(c, SlowChannel)], timeout)

    def close(self) -> None:
        self.quick.close()


@final
class SlowChannel(Channel):
    def __init__(self, quick: Channel, delay: Delay) -> None:
        self.quick, self._delay = quick, delay

    def send(self, message: Message) -> Status:
        self._delay.pass_by()
        return self.quick.send(message)

    def recv(self, timeout: float = 0.0) -> Message | None:
        message = self.quick.recv(timeout)
        if message is not None:
            self._delay.pass_by()
        return message

    def close(self) -> None:
        self.quick.close()


@final
class SlowListener(Listener):
    def __init__(self, quick: Listener, delay: Delay) -> None:
        self._quick, self._delay = quick, delay

    @property
    def refused(self) -> int:
        return self._quick.refused

    @property
    def address(self) -> str:
        return self._quick.address

    def recv(self, timeout: float = 0.0) -> tuple[str, Message] | None:
        came = self._quick.recv(timeout)
        if came is not None:
            self._delay.pass_by()
        return came

    def send(self, peer: str, message: Message, *, track: bool = False) -> Receipt:
        self._delay.pass_by()
        return self._quick.send(peer, message, track=track)

    def close(self) -> None:
        self._quick.close()
