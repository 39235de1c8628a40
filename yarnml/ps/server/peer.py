"""A peer: what a shard knows of one worker, and which of its messages it takes. What answers `sender.py`."""

from __future__ import annotations

from typing import final

from yarnml.ps.sender import Numbered, name, size
from yarnml.wire.message import Ack, Done, Farewell, Nack

ACK_EVERY = 16  # messages
ACK_BYTES = 16 << 20


@final
class Peer:
    """Counts a worker's messages: each is taken once, and in its place."""

    def __init__(self, worker: int, clock: int, generation: int) -> None:
        self.clock = clock  # last one ended; FOREVER once its work has returned
        self.gone = False
        self.incarnation = 0
        self.name = name(worker, 0, generation)  # as whom it connects
        self.expected = 1  # number of its next message
        self._worker, self._generation = worker, generation
        self._complained = 0  # the gap it was last told of
        self._unacked = 0  # messages, and their bytes, since the last Ack
        self._unacked_bytes = 0

    def replaced(self, incarnation: int) -> None:
        """Another process goes on in its place, after what was taken."""
        self.incarnation = incarnation
        self.name = name(self._worker, incarnation, self._generation)
        self._complained = 0

    def refusal(self, message: Numbered, slowest: int) -> Ack | Nack:
        """What to tell the worker instead of taking this message, if its turn was or will be another time."""
        if message.seq < self.expected:
            return self.ack(slowest)
        self._complained = self.expected
        return self.nack(slowest)

    def complained(self, message: Numbered) -> bool:
        """Whether the gap before this message has been told."""
        return message.seq > self.expected == self._complained

    def taken(self, message: Numbered) -> bool:
        """It was its turn. True if an Ack is due: one for every message would cost as much as the message."""
        self.expected += 1
        self._unacked += 1
        self._unacked_bytes += size(message)
        last = isinstance(message, Done | Farewell)
        return last or self._unacked >= ACK_EVERY or self._unacked_bytes >= ACK_BYTES

    def ack(self, slowest: int) -> Ack:
        """What tells the worker how much of what it sent has been taken."""
        self._unacked = self._unacked_bytes = 0
        return Ack(generation=self._generation, seq=self.expected - 1, read=slowest)

    def nack(self, slowest: int) -> Nack:
        """What tells it to send again."""
        return Nack(generation=self._generation, seq=self.expected, read=slowest)
