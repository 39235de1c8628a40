"""A server: the loop that runs a shard over a listener."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import final

from yarnml.errors import RunFailed
from yarnml.ps.sender import name
from yarnml.ps.shard import Send, Shard
from yarnml.ps.spec import TableSpec, resolve
from yarnml.wire.frames import WireError
from yarnml.wire.transport import Listener, Receipt, Status

CHECK = 0.1  # s
FAREWELL = 5.0  # s
FAREWELL_TURN = 0.01  # s


def serve(
    listener: Listener,
    specs: Sequence[TableSpec],
    *,
    server: int,
    servers: int,
    workers: int,
    staleness: int | None,
    seed: int,
    check: Callable[[], None],
    generation: int = 0,
) -> int:
    """Hold server `server`'s rows until every worker has said farewell.

    `check` is called at least every 100 ms while idle and raises when the run has ended. Returns how many messages were
    refused because they weren't from a worker of this run; raises RunFailed if one was, and makes no sense.
    """
    shard = Shard(
        resolve(specs, staleness), server=server, servers=servers, workers=workers, seed=seed, generation=generation
    )
    loop = _Loop(listener, shard, generation)
    checked = monotonic()
    while not shard.done:
        loop.turn(CHECK)
        if monotonic() - checked > CHECK:
            checked = monotonic()
            check()
    loop.farewell(range(workers))
    return loop.refused + listener.refused


@final
class _Loop:
    """Carries messages between a shard and a listener."""

    def __init__(self, listener: Listener, shard: Shard, generation: int) -> None:
        self._listener, self._shard, self._generation = listener, shard, generation
        self._lent: deque[tuple[Receipt, Send]] = deque()
        self.refused = 0

    def turn(self, timeout: float) -> None:
        """Take in a message, if one comes within `timeout` seconds, and do what follows from it."""
        came = self._listener.recv(timeout)
        while self._lent and self._lent[0][0].done:
            self._shard.returned(self._lent.popleft()[1])
        if came is None:
            return
        peer, message = came
        if peer != name(message.sender, 0, self._generation) or message.generation != self._generation:
            self.refused += 1  # anybody can connect, and write any worker into a header
            return
        try:
            effects = self._shard.handle(message)
        except WireError as error:  # it would be sent again and again
            raise RunFailed(f"worker {message.sender} sent what can't be taken: {error}") from error
        for send in effects:
            self._send(send)

    def _send(self, send: Send) -> Status:
        peer = name(send.worker, 0, self._generation)
        receipt = self._listener.send(peer, send.message, track=bool(send.loan))
        if send.loan:
            self._lent.append((receipt, send))
        return receipt.status

    def farewell(self, workers: Iterable[int]) -> None:
        """Wait until the workers have closed their channels: if this end closes first, they lose what they have
        not read, such as the last Ack."""
        end = monotonic() + FAREWELL
        while workers and monotonic() < end:
            self.turn(FAREWELL_TURN)
            workers = [w for w in workers if self._send(self._shard.acknowledgement(w)) is not Status.GONE]
