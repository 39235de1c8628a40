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

A checkpoint is marked ahead of its clock K. From then on increments of clocks >= K are kept out of it, though all see
them; once every worker has ended clock K - 1 a snapshot can be taken, at any time. Nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from yarnml.comm.company import FOREVER
from yarnml.ps.blocks import Loan
from yarnml.ps.functions.function import Where
from yarnml.ps.managed import Managed
from yarnml.ps.origin import FROM_INIT, Origin
from yarnml.ps.part import Part
from yarnml.ps.peer import Peer
from yarnml.ps.sender import Numbered, name
from yarnml.ps.snapshot import Snapshot
from yarnml.ps.spec import TableSpec, bounds
from yarnml.wire.frames import WireError
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
    Patch,
    Refused,
    Release,
    Rows,
    Standing,
)

MAX_WAITING = 1 << 16  # gets


@final
@dataclass(frozen=True, slots=True)
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
        self._server, self._servers, self._managed = server, servers, managed
        self._parts = [
            Part(
                spec, *bounds(spec.rows, servers)[server : server + 2],
                workers=workers, seed=seed, origin=origin, managed=managed,
            )
            for spec in specs
        ]  # fmt: skip
        self._peers = [Peer(clock - 1, generation) for _ in range(workers)]
        self._generation = generation
        self._slowest = clock - 1
        self._parked: dict[int, dict[int, list[Patch]]] = {}  # clock -> worker -> increments of tables with s = 0
        self._waiting: dict[tuple[int, int], Get] = {}  # (worker, request)
        self._mark: int | None = None  # clock of the checkpoint to come
        self._paused: dict[int, int] = {}  # workers that read more slowly than they are written to -> clock then

    @property
    def done(self) -> bool:
        """Every worker has said farewell."""
        return all(peer.gone for peer in self._peers)

    def handle(self, message: Message) -> list[Send]:
        """Take in a worker's message. Raises WireError, changing nothing, if no worker of this run can have sent it."""
        if message.generation != self._generation or not 0 <= message.sender < len(self._peers):
            raise WireError(f"worker {message.sender} of generation {message.generation} is not of this run")
        match message:
            case EndClock() | Increments() | Done() | Farewell():
                return self._take(message)
            case Get():
                self._check_get(message)
                if self._is_fresh(message):
                    return [self._reply(message)]
                self._waiting[message.sender, message.seq] = message
                return []
            case Release():
                self._release(message)
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
        return name(worker, self._peers[worker].incarnation, self._generation)

    def knows(self, peer: str, message: Message) -> bool:
        """Whether who connects as `peer` is the worker that its message says, now: not one of an older generation, nor
        one that was replaced. A Hello replaces."""
        worker = message.sender
        if message.generation != self._generation or not 0 <= worker < len(self._peers):
            return False
        incarnation = self._peers[worker].incarnation
        if isinstance(message, Hello):
            incarnation = max(incarnation, message.seq)
        return peer == name(worker, incarnation, self._generation)

    def acknowledgement(self, worker: int) -> Send:
        """What tells a worker how much of what it sent has been taken."""
        return Send(worker, self._peers[worker].ack(self._slowest))

    def refusal(self, message: Message, reason: str) -> Refused:
        """What tells a worker that its message was refused."""
        return Refused(generation=self._generation, seq=message.seq, reason=reason)

    def returned(self, send: Send) -> None:
        """What was lent with a message has been read."""
        assert isinstance(send.message, Rows)
        self._parts[send.message.table].returned(send.loan)

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

    # ---- checkpoints

    def mark(self, clock: int) -> bool:
        """Prepare a snapshot as of `clock`, in the place of any before; False if it is too late for that."""
        self.unmark()
        if any(part.too_late(clock) for part in self._parts):
            return False
        self._mark = clock
        return True

    def unmark(self) -> None:
        """No snapshot is wanted."""
        self._mark = None
        for part in self._parts:
            part.unmark()

    def snapshot(self) -> Snapshot | None:
        """The one that is marked, once, when all that belongs into it has come; its loans come back by `written`."""
        if self._mark is None or self._slowest < self._mark - 1:
            return None
        clock, self._mark = self._mark, None
        taken = [part.snapshot() for part in self._parts]
        return Snapshot(
            clock, self._server, self._servers,
            tables=tuple((part.spec, chunks) for part, (chunks, _) in zip(self._parts, taken, strict=True)),
            loans=tuple(loan for _, loan in taken),
        )  # fmt: skip

    def written(self, snapshot: Snapshot) -> None:
        """A snapshot has been read."""
        for part, loan in zip(self._parts, snapshot.loans, strict=True):
            part.returned(loan)

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
            for part in self._parts:
                part.restart(worker)
        return Send(worker, Standing(generation=self._generation, clock=peer.clock, seq=peer.expected - 1))

    # ---- clocks and increments

    def _end_clock(self, message: EndClock) -> None:
        worker, peer = message.sender, self._peers[message.sender]
        if message.clock != peer.clock + 1:
            raise WireError(f"worker {worker} ends clock {message.clock} after {peer.clock}")
        self._check(message.patches)
        exact = [p for p in message.patches if self._parts[p.table].spec.staleness == 0]
        if exact:
            self._parked.setdefault(message.clock, {})[worker] = exact
        self._apply_now([p for p in message.patches if self._parts[p.table].spec.staleness != 0], message)
        for part in self._parts:
            part.ended(worker)
        peer.clock = message.clock

    def _add(self, message: Increments) -> None:
        if self._peers[message.sender].clock == FOREVER:
            raise WireError(f"worker {message.sender} sends increments although its work has returned")
        ahead = message.clock - (self._peers[message.sender].clock + 1)
        if ahead < 0 or (ahead and self._managed is None):  # managed, clocks are said to have ended later than they do
            raise WireError(f"worker {message.sender} sends increments of clock {message.clock} within another")
        self._check(message.patches)
        self._apply_now(message.patches, message)

    def _be_done(self, worker: int) -> None:
        self._peers[worker].clock = FOREVER
        for part in self._parts:
            part.drop(worker)

    def _advance(self) -> list[Send]:
        """The slowest clock may have moved: apply what waited for it, push what changed."""
        slowest = min(peer.clock for peer in self._peers)
        if slowest == self._slowest:
            return []
        for clock in sorted(c for c in self._parked if c <= slowest):
            self._apply_clock(clock, self._parked.pop(clock))
        self._slowest = slowest
        return self._pushes(set(range(len(self._peers))) - set(self._paused))

    def _pushes(self, workers: set[int]) -> list[Send]:
        """What these workers hold, and has changed."""
        return [
            self._rows(worker, table, where, seq=ALL, push=True)
            for table, part in enumerate(self._parts)
            for worker, where in part.due()
            if worker in workers
        ]

    def _apply_clock(self, clock: int, parked: dict[int, list[Patch]]) -> None:
        """All workers' increments of one clock, in worker order."""
        by_table: dict[int, list[Patch]] = {}
        for worker in sorted(parked):
            for patch in parked[worker]:
                by_table.setdefault(patch.table, []).append(patch)
        for table, patches in by_table.items():
            self._parts[table].apply_all(patches, clock, self._mark)

    def _apply_now(self, patches: Sequence[Patch], of: EndClock | Increments) -> None:
        """One worker's increments, on arrival."""
        for patch in patches:
            self._parts[patch.table].apply_one(patch, of.sender, of.clock, self._mark)

    # ---- reads

    def _answer(self) -> list[Send]:
        """Every read that has become fresh."""
        if not self._waiting:
            return []
        fresh = [at for at, get in self._waiting.items() if self._is_fresh(get)]
        return [self._reply(self._waiting.pop(at)) for at in fresh]

    def _is_fresh(self, get: Get) -> bool:
        known = self._slowest >= get.read and self._peers[get.sender].expected > get.own
        return known and get.sender not in self._paused

    def _reply(self, get: Get) -> Send:
        if get.all_held:
            return self._rows(get.sender, get.table, self._parts[get.table].behind(get.sender), seq=get.seq, push=True)
        where: Where = slice(get.start, get.stop) if get.rows is None else get.rows
        return self._rows(get.sender, get.table, where, seq=get.seq)

    def offer(self, room: float) -> list[Send]:
        """Rows of managed tables that changed, for as many bytes: to all workers alike, what matters most first."""
        out = []
        for table, part in enumerate(self._parts):
            for worker in set(range(len(self._peers))) - set(self._paused):
                rows = part.best(worker, room / len(self._peers))
                if len(rows):
                    out.append(self._rows(worker, table, rows, seq=SOME, push=True))
        return out

    def _rows(self, worker: int, table: int, where: Where, *, seq: int, push: bool = False) -> Send:
        """`push`: of rows that the worker didn't name."""
        part, peer = self._parts[table], self._peers[worker]
        reading = part.read(where, worker, keeps=peer.clock != FOREVER, push=push)  # then nothing changes any more
        s = part.spec.staleness
        own = peer.expected - 1 if s is None or part.managed else self._slowest if s == 0 else peer.clock
        start, stop, rows = (where.start, where.stop, None) if isinstance(where, slice) else (0, 0, where)
        message = Rows(
            generation=self._generation, clock=peer.clock, seq=seq, read=self._slowest, own=own,
            table=table, start=start, stop=stop, rows=rows, number=reading.number, values=reading.values,
            exponents=reading.exponents,
        )  # fmt: skip
        return Send(worker, message, reading.loan)

    def _release(self, message: Release) -> None:
        if message.table >= len(self._parts):
            raise WireError(f"rows of table {message.table} of {len(self._parts)} are let go")
        self._parts[message.table].release(message.sender, message.rows)

    # ---- what may be asked

    def _check(self, patches: Sequence[Patch]) -> None:
        for p in patches:
            if p.table >= len(self._parts):
                raise WireError(f"an increment of table {p.table} of {len(self._parts)}")
            self._parts[p.table].check_patch(p)

    def _check_get(self, get: Get) -> None:
        if get.table >= len(self._parts):
            raise WireError(f"a get of table {get.table} of {len(self._parts)}")
        if len(self._waiting) >= MAX_WAITING:
            raise WireError(f"{MAX_WAITING} gets are waiting")
        self._parts[get.table].check_get(get)
