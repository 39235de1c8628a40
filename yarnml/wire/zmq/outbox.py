"""An outbox: what a listener has for peers that read more slowly than they are written to. It is bounded in bytes."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, final

from yarnml.wire.frames import SMALL, Frame
from yarnml.wire.transport import Receipt, Status

FLIGHT = 64 << 20  # bytes to one peer that ZeroMQ may hold: its own limit counts messages, however large
LIMIT = 64 << 20  # bytes to one peer that wait here, before more is refused
ENVELOPE = 1 << 10  # bytes that a message counts beside its frames


@final
class Pending(Receipt):
    """A receipt that knows when ZeroMQ has let go of the lent buffers."""

    def __init__(self) -> None:
        super().__init__(Status.WAITS)
        self.lent: list[weakref.ref[Any]] = []  # views that ZeroMQ alone holds, as long as it reads them

    @property
    def done(self) -> bool:
        return self.status is not Status.WAITS and all(view() is None for view in self.lent)


@final
class Item:
    """A message to a peer, on its way."""

    __slots__ = ("frames", "large", "peer", "receipt", "size")

    def __init__(self, peer: str, frames: list[Frame]) -> None:
        self.peer, self.frames = peer, frames
        self.receipt = Pending()
        self.large = self.size = 0  # bytes lent; bytes as the limit counts them
        if len(frames) > 1:
            sizes = [len(frame) if isinstance(frame, bytes) else frame.nbytes for frame in frames[1:]]
            self.large = sum(size for size in sizes if size >= SMALL)
            self.size = sum(sizes)
        self.size += len(frames[0]) + ENVELOPE


@final
class Outbox:
    """Keeps each peer's messages in order. A peer that never reads holds LIMIT + FLIGHT bytes and a message or two."""

    def __init__(self, attempt: Callable[[Item], Status]) -> None:
        """`attempt`: send at once, or FULL."""
        self._attempt = attempt
        self.waiting: dict[str, deque[Item]] = {}  # by peer
        self._bytes: dict[str, int] = {}  # of those that wait
        self._flying: dict[str, deque[Item]] = {}  # sent, with large frames that may still be read

    def full(self, peer: str) -> bool:
        return bool(self.waiting) and self._bytes.get(peer, 0) >= LIMIT

    def send(self, item: Item) -> None:
        """Now, or after what waits."""
        if item.peer in self.waiting or not self._sent(item):
            self.waiting.setdefault(item.peer, deque()).append(item)
            self._bytes[item.peer] = self._bytes.get(item.peer, 0) + item.size

    def flush(self) -> None:
        """Send what there is room for now."""
        for peer in list(self.waiting):
            queue = self.waiting[peer]
            while queue and self._sent(queue[0]):
                self._bytes[peer] -= queue.popleft().size
            if not queue:
                del self.waiting[peer], self._bytes[peer]

    def _sent(self, item: Item) -> bool:
        if item.large and self._in_flight(item.peer) >= FLIGHT:
            return False
        status = self._attempt(item)
        if status is Status.FULL:
            return False
        item.receipt.status = status
        if item.large and status is Status.SENT:
            item.frames = []  # ZeroMQ alone holds them now
            self._flying.setdefault(item.peer, deque()).append(item)
        return True

    def _in_flight(self, peer: str) -> int:
        """Bytes of large frames that ZeroMQ hasn't let go of."""
        flying = self._flying.get(peer)
        if flying is None:
            return 0
        while flying and flying[0].receipt.done:
            flying.popleft()
        if not flying:
            del self._flying[peer]
        return sum(item.large for item in flying)
