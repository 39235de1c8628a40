"""A server: the loop that runs a shard over a listener."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import final

from yarnml.ps.budget import Budget
from yarnml.ps.checkpoint.files import Saved
from yarnml.ps.checkpoint.marking import Marking
from yarnml.ps.checkpoint.origin import Array, Given
from yarnml.ps.managed import HEADER, Managed
from yarnml.ps.server.shard import Send, Shard
from yarnml.ps.spec import TableSpec, resolve
from yarnml.wire.frames import WireError
from yarnml.wire.message import Rows
from yarnml.wire.transport import Listener, Receipt, Status

CHECK = 0.1  # s
KEPT = 256  # loans from which on all are looked through
OFTEN = 0.02  # s between looks at what may be pushed, in managed communication
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
    checkpoint: str = "",
    clock: int = 0,
    given: Mapping[str, Array] | None = None,
    managed: Managed | None = None,
    marks: Callable[[], tuple[int, str] | None] = lambda: None,
    marked: Callable[[int, str], None] = lambda _clock, _error: None,
) -> int:
    """Hold server `server`'s rows until every worker has said farewell.

    They begin as in the directory `checkpoint`, which holds clock `clock`; without one as the arrays `given` for
    tables of their name; else as their init says.

    `check` is called at least every 100 ms while idle and raises when the run has ended, or goes back: then the same
    listener may serve the next generation. After it `marks` is asked for the checkpoint that is wanted now: (clock,
    directory), None if none is. Once this server's part is written `marked` is told of it, or why there is none.

    Returns how many messages were refused because they weren't from a worker of this run, or made no sense: who sent
    such a one is told. Raises DataError and UsageError where the tables can't begin as asked.
    """
    shard = Shard(
        resolve(specs, staleness),
        server=server,
        servers=servers,
        workers=workers,
        seed=seed,
        generation=generation,
        clock=clock,
        origin=Saved(checkpoint, clock) if checkpoint else Given(given or {}),
        managed=managed,
    )
    loop = _Loop(listener, shard, managed)
    marking = Marking(shard.parts, marks, marked)
    checked = monotonic()
    while not shard.done:
        loop.turn(CHECK)
        marking.turn()
        if monotonic() - checked > CHECK:
            checked = monotonic()
            check()
            marking.look()
    loop.farewell(range(workers))
    marking.end()
    return loop.refused + listener.refused


@final
class _Loop:
    """Carries messages between a shard and a listener."""

    def __init__(self, listener: Listener, shard: Shard, managed: Managed | None) -> None:
        self._listener, self._shard = listener, shard
        self._budget = None if managed is None else Budget(managed.bandwidth, monotonic())
        self._chunk = 0.0 if managed is None else managed.chunk
        self._lent: deque[tuple[Receipt, Send]] = deque()
        self._kept = KEPT  # as many as that are looked through next
        self._slow: dict[int, Receipt] = {}  # workers that are sent no rows before this message has left
        self.refused = 0

    def turn(self, timeout: float) -> None:
        """Take in a message, if one comes within `timeout` seconds, and do what follows from it."""
        came = self._listener.recv(min(timeout, OFTEN) if self._slow or self._budget is not None else timeout)
        if self._budget is not None:
            self._offer(self._budget)
        if self._lent:
            self._take_back()
        if self._slow:
            for worker in list(self._slow):
                self._resume(worker)
        if came is None:
            return
        peer, message = came
        if not self._shard.knows(peer, message):
            self.refused += 1  # anybody can connect, and write any worker into a header
            return
        try:
            effects = self._shard.handle(message)
        except WireError as error:  # if a worker did send it, it would again and again
            self.refused += 1
            effects = [Send(message.sender, self._shard.refusal(message, str(error)))]
        for send in effects:
            self._send(send)

    def _offer(self, budget: Budget) -> None:
        """Push what the budget allows, in managed communication."""
        if (room := budget.left(monotonic())) >= self._chunk:
            for send in self._shard.offer(room):
                self._send(send)

    def _send(self, send: Send) -> Status:
        if self._budget is not None and isinstance(send.message, Rows):
            self._budget.spend(HEADER + sum(block.nbytes for block in send.message.values))
        receipt = self._listener.send(self._shard.name(send.worker), send.message, track=send.loan != ())
        if send.loan:
            self._lent.append((receipt, send))
        if receipt.status is Status.WAITS:
            self._shard.pause(send.worker)
            self._slow[send.worker] = receipt
        return receipt.status

    def _resume(self, worker: int) -> None:
        """Send a slow worker what it was not sent, as it reads."""
        while worker in self._slow and self._slow[worker].status is not Status.WAITS:
            sends = self._shard.resume(worker)
            if not sends:
                del self._slow[worker]
            for send in sends:
                self._send(send)

    def _take_back(self) -> None:
        """What was lent and has been read, in the order in which it was lent, but for what slow workers keep."""
        while self._lent and self._lent[0][0].done:
            self._shard.returned(self._lent.popleft()[1])
        if len(self._lent) > self._kept:
            lent, self._lent = self._lent, deque()
            for receipt, send in lent:
                if receipt.done:
                    self._shard.returned(send)
                else:
                    self._lent.append((receipt, send))
            self._kept = max(KEPT, 2 * len(self._lent))

    def farewell(self, workers: Iterable[int]) -> None:
        """Wait until the workers have closed their channels: if this end closes first, they lose what they have
        not read, such as the last Ack."""
        end = monotonic() + FAREWELL
        while workers and monotonic() < end:
            self.turn(FAREWELL_TURN)
            workers = [w for w in workers if self._send(self._shard.acknowledgement(w)) is not Status.GONE]
