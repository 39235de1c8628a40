"""A shard: the rows of all tables that one server holds, as a state machine without I/O, time or threads.

    a worker says      the shard
    EndClock, c        applies its increments (s > 0), or parks them until every worker has ended c and then applies
                       them in worker order (s = 0); if the slowest clock moves by it, pushes what workers hold
    Increments         applies them
    Get, as of v       answers once the slowest clock is v and all that the asker sent before has come; parks it before
    Done               never waits for this worker's clocks again: it is at clock infinity. It may still read, as of
                       clock infinity too: its reads are answered once every worker is done
    Farewell           lets it go; once all have gone there is nothing left to do
    Release            pushes these rows no more
    Ask                says what has come
    Hello              says where the worker stood, whose place the sender takes, and forgets what that one held

Increments are counted exactly once: each message has the sender's next number, else it is dropped or asked for again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from yarnml.comm.company import FOREVER
from yarnml.ps.checkpoint.origin import FROM_INIT, Origin
from yarnml.ps.functions.function import Where
from yarnml.ps.managed import Managed
from yarnml.ps.sender import Numbered, name
from yarnml.ps.server.blocks import Loan
from yarnml.ps.server.parts import Parts
from yarnml.ps.server.peer import Peer
from yarnml.ps.spec import TableSpec
from yarnml.wire.frames import WireError
from yarnml.wire.frozen import frozen
from yarnml.wire.message import (
    ALL,
    SOME,
    Ask,
    Done,
    EndClock,
    Farewell,
    Get,
    Hello,
    Increments,
    Message,
    Refused,
    Release,
    Rows,
    Standing,
)

MAX_WAITING = 1 << 16  # gets


@final
@frozen()
class Send:
    """An effect: send a message to a worker; what it was lent comes back by `Shard.returned`."""

    worker: int
    message: Message
    loan: Loan = ()


@final
class Shard:
    """Rows of server `server` of `servers`, shared by `workers`; `clock` is the first that runs."""

    def __init__(
        self,
        specs: Sequence[TableSpec],
        *,
        server: int,
        servers: int,
        workers: int,
        seed: int,
        generation: int = 0,
        clock: int = 0,
        origin: Origin = FROM_INIT,
        managed: Managed | None = None,
    ) -> None:
        """`specs` with their staleness resolved."""
        self.parts = Parts(
            specs, server=server, servers=servers, workers=workers, seed=seed, clock=clock, origin=origin,
            managed=managed,
        )  # fmt: skip
        self._managed = managed
        self._peers = [Peer(worker, clock - 1, generation) for worker in range(workers)]
        self._generation = generation
        self.done = False  # every worker has said farewell
        self._slowest = clock - 1
        self._waiting: dict[tuple[int, int], Get] = {}  # (worker, request)
        self._paused: dict[int, int] = {}  # workers that read more slowly than they are written to -> clock then

    def handle(self, message: Message) -> list[Send]:
        """Take in a worker's message. Raises WireError, changing nothing, if no worker of this run can have sent it."""
        if message.generation != self._generation or not 0 <= message.sender < len(self._peers):
            raise WireError(f"worker {message.sender} of generation {message.generation} is not of this run")
        match message:
            case Get():
                return self._get(message)
            case EndClock() | Increments() | Done() | Farewell():
                return self._take(message)
            case Release():
                self.parts[message.table].release(message.sender, message.rows)
                return []
            case Ask():
                peer = self._peers[message.sender]
                come = peer.expected > message.seq
                return [Send(message.sender, peer.ack(self._slowest) if come else peer.nack(self._slowest))]
            case Hello():
                return [self._replace(message)]
        raise WireError(f"{type(message).__name__} is not for a server")

    def name(self, worker: int) -> str:
        """As whom the process that has this worker's place connects."""
        return self._peers[worker].name

    def knows(self, peer: str, message: Message) -> bool:
        """Whether who connects as `peer` is the worker that its message says, now: not one of an older generation, nor
        one that was replaced. A Hello replaces."""
        worker = message.sender
        if message.generation != self._generation or not 0 <= worker < len(self._peers):
            return False
        known = self._peers[worker]
        if isinstance(message, Hello) and message.seq > known.incarnation:
            return peer == name(worker, message.seq, self._generation)
        return peer == known.name

    def acknowledgement(self, worker: int) -> Send:
        """What tells a worker how much of what it sent has been taken."""
        return Send(worker, self._peers[worker].ack(self._slowest))

    def refusal(self, message: Message, reason: str) -> Refused:
        """What tells a worker that its message was refused."""
        return Refused(generation=self._generation, seq=message.seq, reason=reason)

    def returned(self, send: Send) -> None:
        """What was lent with a message has been read."""
        assert isinstance(send.message, Rows)
        self.parts[send.message.table].returned(send.loan)

    # ---- slow readers

    def pause(self, worker: int) -> None:
        """Send this worker no rows for now: what it asks for waits, and what is to be pushed grows into one push."""
        self._paused.setdefault(worker, self._slowest)

    def resume(self, worker: int) -> list[Send]:
        """It has read what it was sent: what comes next of what it would have been sent meanwhile, a push or an answer.
        To be called again until that is nothing; then it is sent rows as ever."""
        behind = self._paused.get(worker, self._slowest) != self._slowest
        self._paused.pop(worker, None)
        if behind:
            self._paused[worker] = self._slowest
            return self._pushes({worker})
        fresh = next((at for at, get in self._waiting.items() if at[0] == worker and self._is_fresh(get)), None)
        if fresh is None:
            return []
        self._paused[worker] = self._slowest
        return [self._reply(self._waiting.pop(fresh))]

    # ---- a worker's sequence

    def _take(self, message: Numbered) -> list[Send]:
        worker, peer = message.sender, self._peers[message.sender]
        if message.seq != peer.expected:
            if peer.complained(message):
                return []
            return [Send(worker, peer.refusal(message, self._slowest))]
        match message:
            case EndClock():
                self._end_clock(message)
            case Increments():
                self._add(message)
            case Done():
                self._be_done(worker)
            case Farewell():
                if peer.clock != FOREVER:
                    raise WireError(f"worker {worker} says farewell before its work has returned")
                peer.gone = True
                self.done = all(peer.gone for peer in self._peers)
        due = [self.acknowledgement(worker)] if peer.taken(message) else []
        return due + self._advance() + self._answer()

    def _replace(self, hello: Hello) -> Send:
        """Another process goes on in the place of a worker, after what that one was last heard of."""
        worker, peer = hello.sender, self._peers[hello.sender]
        if hello.seq < max(1, peer.incarnation):
            raise WireError(f"incarnation {hello.seq} of worker {worker} comes after {peer.incarnation}")
        if hello.seq > peer.incarnation:
            peer.replaced(hello.seq)
            self._paused.pop(worker, None)
            self._waiting = {at: get for at, get in self._waiting.items() if at[0] != worker}
            for part in self.parts:
                part.restart(worker)
        return Send(worker, Standing(generation=self._generation, clock=peer.clock, seq=peer.expected - 1))

    # ---- clocks and increments

    def _end_clock(self, message: EndClock) -> None:
        worker, peer = message.sender, self._peers[message.sender]
        if message.clock != peer.clock + 1:
            raise WireError(f"worker {worker} ends clock {message.clock} after {peer.clock}")
        self.parts.check(message.patches)
        self.parts.end_clock(worker, message.clock, message.patches)
        peer.clock = message.clock

    def _add(self, message: Increments) -> None:
        if self._peers[message.sender].clock == FOREVER:
            raise WireError(f"worker {message.sender} sends increments although its work has returned")
        ahead = message.clock - (self._peers[message.sender].clock + 1)
        if ahead < 0 or (ahead and self._managed is None):  # managed, clocks are said to have ended later than they do
            raise WireError(f"worker {message.sender} sends increments of clock {message.clock} within another")
        self.parts.check(message.patches)
        self.parts.add(message.sender, message.clock, message.patches)

    def _be_done(self, worker: int) -> None:
        self._peers[worker].clock = FOREVER
        for part in self.parts:
            part.drop(worker)

    def _advance(self) -> list[Send]:
        """The slowest clock may have moved: apply what waited for it, push what changed."""
        slowest = min(peer.clock for peer in self._peers)
        if slowest == self._slowest:
            return []
        self.parts.advance(slowest)
        self._slowest = slowest
        return self._pushes(set(range(len(self._peers))) - set(self._paused))

    def _pushes(self, workers: set[int]) -> list[Send]:
        """What these workers hold, and has changed."""
        return [
            self._rows(worker, table, where, ALL, push=True)
            for table, part in enumerate(self.parts)
            for worker, where in part.due()
            if worker in workers
        ]

    # ---- reads

    def _get(self, get: Get) -> list[Send]:
        if len(self._waiting) >= MAX_WAITING:
            raise WireError(f"{MAX_WAITING} gets are waiting")
        self.parts[get.table].check_get(get)
        if self._is_fresh(get):
            return [self._reply(get)]
        self._waiting[get.sender, get.seq] = get
        return []

    def _answer(self) -> list[Send]:
        """Every read that has become fresh."""
        if not self._waiting:
            return []
        fresh = [at for at, get in self._waiting.items() if self._is_fresh(get)]
        return [self._reply(self._waiting.pop(at)) for at in fresh]

    def _is_fresh(self, get: Get) -> bool:
        sender = get.sender
        return self._slowest >= get.read and self._peers[sender].expected > get.own and sender not in self._paused

    def _reply(self, get: Get) -> Send:
        if get.all_held:
            return self._rows(get.sender, get.table, self.parts[get.table].behind(get.sender), get.seq, push=True)
        where: Where = slice(get.start, get.stop) if get.rows is None else get.rows
        return self._rows(get.sender, get.table, where, get.seq)

    def offer(self, room: float) -> list[Send]:
        """Rows of managed tables that changed, for as many bytes: to all workers alike, what matters most first."""
        out = []
        for table, part in enumerate(self.parts):
            for worker in set(range(len(self._peers))) - set(self._paused):
                rows = part.best(worker, room / len(self._peers))
                if len(rows):
                    out.append(self._rows(worker, table, rows, SOME, push=True))
        return out

    def _rows(self, worker: int, table: int, where: Where, seq: int, push: bool = False) -> Send:
        """`push`: of rows that the worker didn't name."""
        part, peer = self.parts[table], self._peers[worker]
        clock, slowest = peer.clock, self._slowest
        reading = part.read(where, worker, clock != FOREVER, push)  # then nothing changes any more
        own = peer.expected - 1 if part.by_message else slowest if part.exact else clock
        start, stop, rows = (where.start, where.stop, None) if isinstance(where, slice) else (0, 0, where)
        message = Rows(
            self._generation, 0, clock, seq, slowest, table, start, stop, rows, own,
            reading.number, reading.values, reading.exponents,
        )  # fmt: skip
        return Send(worker, message, reading.loan)
