"""A line: a worker's connection to one server, and what it has told it."""

from __future__ import annotations

from typing import final

from yarnml.ps.client.patience import Patience
from yarnml.ps.sender import Numbered, Sender
from yarnml.wire.message import Ask, Message
from yarnml.wire.transport import Channel, Status


@final
class Line:
    """To server `server`. `last`: the number of the last message that it has taken from this worker."""

    def __init__(
        self, server: int, channel: Channel, patience: Patience, *, worker: int, generation: int, last: int
    ) -> None:
        self.channel = channel
        self.sender = Sender(last)
        self.sent_bytes = 0
        self._server, self._patience = server, patience
        self._worker, self._generation = worker, generation

    def head(self, clock: int) -> dict[str, int]:
        """The header of the next numbered message."""
        return {
            "generation": self._generation,
            "sender": self._worker,
            "clock": clock,
            "seq": self.sender.last + 1,
        }

    def tell(self, message: Numbered) -> int:
        """Send what must arrive exactly once; its size."""
        sender = self.sender
        if sender.full:
            self.push(self.question())
            self._patience.wait(lambda: not sender.full, lambda: f"server {self._server} to take message {sender.last}")
        n = sender.keep(message)
        self.sent_bytes += n
        self.push(message)
        return n

    def push(self, message: Message) -> None:
        """Send what may get lost, or is kept."""
        channel = self.channel
        if channel.send(message) is Status.FULL:
            self._patience.insist(lambda: channel.send(message), self._server)

    def acked(self, last: int) -> None:
        """The server has taken everything up to this message."""
        self.sender.acked(last)

    def again(self, expected: int) -> None:
        """Send again from the message that the server says it expects."""
        for message in self.sender.missing(expected):
            self.push(message)

    def nudge(self) -> None:
        """Ask what has come, if there is room for it."""
        self.channel.send(self.question())

    def question(self) -> Ask:
        """Has all been taken?"""
        return Ask(generation=self._generation, sender=self._worker, seq=self.sender.last)
