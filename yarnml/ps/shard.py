"""A shard: the rows of all tables that one server holds, as a state machine without I/O, time or threads.

    a worker says      the shard
    EndClock, c        applies its increments (s > 0), or parks them until every worker has ended c and then applies
                       them in worker order (s = 0); if the slowest clock moves by it, pushes what workers hold
    Increments         applies them
    Get, as of v       answers once the slowest clock is v and all that the asker sent before has come; parks it before
    Done               never waits for this worker's clocks again: it is at clock infinity. It may still read, as of
                       clock infinity too: its reads are answered once every worker is done
    Farewell           lets it go; once all have gone there is nothing left to do
    Ask                says what has come

Increments are counted exactly once: each message has the sender's next number, else it is dropped or asked for again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from yarnml.comm.company import FOREVER
from yarnml.kernels import rows as kernels
from yarnml.ps.blocks import Blocks, Loan
from yarnml.ps.functions.function import Where
from yarnml.ps.holdings import Holdings
from yarnml.ps.patches import merge
from yarnml.ps.sender import Numbered, size
from yarnml.ps.spec import TableSpec, bounds
from yarnml.wire.frames import WireError
from yarnml.wire.message import Ack, Ask, Done, EndClock, Farewell, Get, Increments, Message, Nack, Patch, Rows

ACK_EVERY = 16  # messages
ACK_BYTES = 16 << 20
MAX_WAITING = 1 << 16  # gets


@final
@dataclass(frozen=True, slots=True)
class Send:
    """An effect: send a message to a worker; what it was lent comes back by `Shard.returned`."""

    worker: int
    message: Message
    loan: Loan = ()


@final
class _Peer:
    """What the shard knows of one worker."""

    def __init__(self, tables: int) -> None:
        self.clock = -1  # last one ended; FOREVER once its work has returned
        self.gone = False
        self.expected = 1  # number of its next message
        self.complained = 0  # the gap it was last told of
        self.unacked = 0  # messages, and their bytes, since the last Ack
        self.unacked_bytes = 0
        self.sent = [0] * tables  # Rows of each table


@final
class Shard:
    """Rows of server `server` of `servers`, shared by `workers`."""

    def __init__(
        self, specs: Sequence[TableSpec], *, server: int, servers: int, workers: int, seed: int, generation: int = 0
    ) -> None:
        """`specs` with their staleness resolved."""
        self._specs = specs
        self._ranges = [bounds(spec.rows, servers)[server : server + 2] for spec in specs]
        self._blocks = [Blocks(s, a, b, seed) for s, (a, b) in zip(specs, self._ranges, strict=True)]
        self._holdings = [
            [Holdings(a, b) for _ in range(workers)] if spec.pushes else []
            for spec, (a, b) in zip(specs, self._ranges, strict=True)
        ]
        self._peers = [_Peer(len(specs)) for _ in range(workers)]
        self._generation = generation
        self._slowest = -1
        self._parked: dict[int, dict[int, list[Patch]]] = {}  # clock -> worker -> increments of tables with s = 0
        self._waiting: dict[tuple[int, int], Get] = {}  # (worker, request)

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
            case Ask():
                return [self._reply_to_ask(message)]
        raise WireError(f"{type(message).__name__} is not for a server")

    def returned(self, send: Send) -> None:
        """What was lent with a message has been read."""
        assert isinstance(send.message, Rows)
        self._blocks[send.message.table].returned(send.loan)

    # ---- a worker's sequence

    def _take(self, message: Numbered) -> list[Send]:
        worker, peer = message.sender, self._peers[message.sender]
        if message.seq < peer.expected:
            return [self.acknowledgement(worker)]
        if message.seq > peer.expected:
            if peer.complained == peer.expected:
                return []
            peer.complained = peer.expected
            return [self._nack(worker)]
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
        peer.expected += 1
        return self._acknowledge(message) + self._advance() + self._answer()

    def _acknowledge(self, message: Numbered) -> list[Send]:
        """Now and then: an Ack for every message would cost as much as the message."""
        peer = self._peers[message.sender]
        last = isinstance(message, Done | Farewell)
        peer.unacked += 1
        peer.unacked_bytes += size(message)
        if last or peer.unacked >= ACK_EVERY or peer.unacked_bytes >= ACK_BYTES:
            return [self.acknowledgement(message.sender)]
        return []

    def _reply_to_ask(self, ask: Ask) -> Send:
        if self._peers[ask.sender].expected > ask.seq:
            return self.acknowledgement(ask.sender)
        return self._nack(ask.sender)

    def acknowledgement(self, worker: int) -> Send:
        """What tells a worker how much of what it sent has been taken."""
        peer = self._peers[worker]
        peer.unacked = peer.unacked_bytes = 0
        return Send(worker, Ack(generation=self._generation, seq=peer.expected - 1, read=self._slowest))

    def _nack(self, worker: int) -> Send:
        return Send(worker, Nack(generation=self._generation, seq=self._peers[worker].expected, read=self._slowest))

    # ---- clocks and increments

    def _end_clock(self, message: EndClock) -> None:
        worker, peer = message.sender, self._peers[message.sender]
        if message.clock != peer.clock + 1:
            raise WireError(f"worker {worker} ends clock {message.clock} after {peer.clock}")
        self._check(message.patches)
        exact = [p for p in message.patches if self._specs[p.table].staleness == 0]
        if exact:
            self._parked.setdefault(message.clock, {})[worker] = exact
        self._apply_now([p for p in message.patches if self._specs[p.table].staleness != 0])
        peer.clock = message.clock

    def _add(self, message: Increments) -> None:
        if self._peers[message.sender].clock == FOREVER:
            raise WireError(f"worker {message.sender} sends increments although its work has returned")
        self._check(message.patches)
        self._apply_now(message.patches)

    def _be_done(self, worker: int) -> None:
        self._peers[worker].clock = FOREVER
        for holdings in self._holdings:
            if holdings:
                holdings[worker].drop()

    def _advance(self) -> list[Send]:
        """The slowest clock may have moved: apply what waited for it, push what changed."""
        slowest = min(peer.clock for peer in self._peers)
        if slowest == self._slowest:
            return []
        for clock in sorted(c for c in self._parked if c <= slowest):
            self._apply_clock(self._parked.pop(clock))
        self._slowest = slowest
        return [
            self._rows(worker, table, holdings.due(), seq=0)
            for table, all_holdings in enumerate(self._holdings)
            for worker, holdings in enumerate(all_holdings)
            if holdings.any
        ]

    def _apply_clock(self, parked: dict[int, list[Patch]]) -> None:
        """All workers' increments of one clock, in worker order."""
        by_table: dict[int, list[Patch]] = {}
        for worker in sorted(parked):
            for patch in parked[worker]:
                by_table.setdefault(patch.table, []).append(patch)
        for table, patches in by_table.items():
            function = self._specs[table].function
            for patch in patches if function.local else merge(function, patches):
                self._apply(patch, 1.0)

    def _apply_now(self, patches: Sequence[Patch]) -> None:
        """One worker's increments, on arrival."""
        for patch in patches:
            self._apply(patch, 1 / len(self._peers))

    def _apply(self, patch: Patch, share: float) -> None:
        self._blocks[patch.table].apply(patch, share)
        for holdings in self._holdings[patch.table]:
            holdings.touch(slice(patch.start, patch.start + len(patch.values)) if patch.rows is None else patch.rows)

    # ---- reads

    def _answer(self) -> list[Send]:
        """Every read that has become fresh."""
        if not self._waiting:
            return []
        fresh = [at for at, get in self._waiting.items() if self._is_fresh(get)]
        return [self._reply(self._waiting.pop(at)) for at in fresh]

    def _is_fresh(self, get: Get) -> bool:
        return self._slowest >= get.read and self._peers[get.sender].expected > get.own

    def _reply(self, get: Get) -> Send:
        where: Where = slice(get.start, get.stop) if get.rows is None else get.rows
        return self._rows(get.sender, get.table, where, seq=get.seq)

    def _rows(self, worker: int, table: int, where: Where, *, seq: int) -> Send:
        spec, peer = self._specs[table], self._peers[worker]
        if spec.pushes and peer.clock != FOREVER:  # nothing changes once its reads are answered
            self._holdings[table][worker].sent(where)
        peer.sent[table] += 1
        own = peer.expected - 1 if spec.staleness is None else self._slowest if spec.staleness == 0 else peer.clock
        start, stop, rows = 0, 0, None
        loan: Loan = ()
        if isinstance(where, slice):
            start, stop = where.start, where.stop
            values, loan = self._blocks[table].lend(start, stop)
        else:
            rows, values = where, (self._blocks[table].gather(where),)
        message = Rows(
            generation=self._generation, clock=peer.clock, seq=seq, read=self._slowest, own=own,
            table=table, start=start, stop=stop, rows=rows, number=peer.sent[table], values=values,
        )  # fmt: skip
        return Send(worker, message, loan)

    # ---- what may be asked

    def _check(self, patches: Sequence[Patch]) -> None:
        for p in patches:
            if p.table >= len(self._specs):
                raise WireError(f"an increment of table {p.table} of {len(self._specs)}")
            spec, (low, high) = self._specs[p.table], self._ranges[p.table]
            if p.values.dtype != spec.numpy_dtype or p.values.shape[1] != spec.width:
                raise WireError(f"an increment of {p.values.dtype} {p.values.shape} for table {spec.name!r}")
            inside = (
                low <= p.start <= p.start + len(p.values) <= high
                if p.rows is None
                else kernels.increasing(p.rows, low, high)
            )
            if not inside:
                raise WireError(f"an increment of rows of table {spec.name!r} that are not [{low}, {high})")

    def _check_get(self, get: Get) -> None:
        if get.table >= len(self._specs):
            raise WireError(f"a get of table {get.table} of {len(self._specs)}")
        low, high = self._ranges[get.table]
        if len(self._waiting) >= MAX_WAITING:
            raise WireError(f"{MAX_WAITING} gets are waiting")
        inside = low <= get.start <= get.stop <= high if get.rows is None else kernels.increasing(get.rows, low, high)
        if not inside:
            raise WireError(f"a get of rows of table {self._specs[get.table].name!r} that are not [{low}, {high})")
