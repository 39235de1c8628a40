"""A sender: what a worker has told one server and not yet heard to be taken."""

from __future__ import annotations

from collections import deque
from typing import final

from yarnml.wire.message import Done, EndClock, Farewell, Increments

WINDOW = 64  # messages
WINDOW_BYTES = 64 << 20

Numbered = EndClock | Increments | Done | Farewell


@final
class Sender:
    """Numbers messages from 1 and keeps them until they are acknowledged, so that none is lost with a connection."""

    def __init__(self, last: int = 0) -> None:
        self.last = last  # number of the last message
        self._kept: deque[tuple[Numbered, int]] = deque()  # and their sizes
        self._bytes = 0

    @property
    def empty(self) -> bool:
        """All that was sent has been taken."""
        return not self._kept

    @property
    def full(self) -> bool:
        """So much is unacknowledged that the server must be waited for."""
        return len(self._kept) >= WINDOW or self._bytes >= WINDOW_BYTES

    def keep(self, message: Numbered) -> int:
        """Remember a message, whose number is the one after `last`; its size."""
        assert message.seq == self.last + 1, "numbers leave no gap"
        self.last, n = message.seq, size(message)
        self._kept.append((message, n))
        self._bytes += n
        return n

    def acked(self, seq: int) -> None:
        """The server has taken everything up to `seq`."""
        while self._kept and self._kept[0][0].seq <= seq:
            self._bytes -= self._kept.popleft()[1]

    def waits_for(self, seq: int) -> bool:
        """Whether it isn't known yet that this one was taken."""
        return any(message.seq == seq for message, _ in self._kept)

    def missing(self, seq: int) -> list[Numbered]:
        """What to send again when the server says that it expects `seq`."""
        self.acked(seq - 1)
        return [message for message, _ in self._kept]


def name(worker: int, incarnation: int = 0, generation: int = 0) -> str:
    """Under which a worker connects to servers, and no other peer does: not even one that had its seat before, was
    taken for dead and comes to."""
    return f"worker {worker}.{generation}.{incarnation}"


def size(message: Numbered) -> int:
    """The bytes of its increments, as if none were sparse."""
    if isinstance(message, (EndClock, Increments)):
        return sum([p.values.nbytes if p.exponent is None else 2 * p.values.size for p in message.patches])
    return 0
