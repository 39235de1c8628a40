"""A client: a worker's link to the servers that hold the tables. All I/O is in the worker's own thread.

libzmq's thread receives while the worker computes, so what was asked for ahead, or is pushed, is there when it is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import monotonic
from typing import final

import numpy as np

from yarnml.comm.company import FOREVER, Company
from yarnml.errors import PeerLost, RunFailed
from yarnml.ps.client.cache import Cache
from yarnml.ps.client.limit import limits
from yarnml.ps.client.outbox import Letter
from yarnml.ps.client.posting import Posting
from yarnml.ps.client.reading import Want
from yarnml.ps.client.sense import heard_of, makes_sense
from yarnml.ps.keys import Key, Rows, checked, key
from yarnml.ps.managed import Managed
from yarnml.ps.patches import Patches, split
from yarnml.ps.rounding import Rounding
from yarnml.ps.sender import Numbered, Sender, name, size
from yarnml.ps.spec import TableSpec, resolve
from yarnml.ps.table import Array, Table, Tables, named, refuse_late
from yarnml.wire import message as m
from yarnml.wire.transport import Channel, Status, Transport

CHECK = 0.1  # s between looks at the company while waiting
LONG = 1.0  # s after which, each time again, the company is told what is waited for
SILENCE = 1.0  # s without a message after which servers are asked what has come
DRAIN = 8  # messages sent within a clock after which to look what has come
ANSWERED = 4096  # of a clock's gets that are remembered where memory is limited
LET_GO = 1 << 16  # rows let go within a clock that are told before it ends
FAREWELL = 5.0  # s to wait for the last acknowledgement: a server that has all may be gone


@final
class RemoteTable(Table):
    """A table whose rows lie at servers."""

    def __init__(self, client: Client, index: int, cache: Cache) -> None:
        spec = cache.spec
        super().__init__(spec)
        self.index = index
        self.cache = cache
        rounds = spec.rounds and not cache.managed  # what is managed is rounded as it leaves
        self.patches = Patches(index, spec.function, Rounding(spec.shape, spec.numpy_dtype) if rounds else None)
        self.answered: dict[int | tuple[int, int] | None, Array] = {}  # this clock's gets by key
        self._client = client

    def get(self, rows: Rows = None) -> Array:
        if rows is None or rows.__class__ is int:
            known = self.answered.get(rows)
            if known is not None:
                return known
        k = key(rows, self.name, self.shape)
        if k.rows is not None:
            return self._client.read(self, k)
        place = None if rows is None else k.start if k.single else (k.start, k.stop)
        known = self.answered.get(place)
        if known is None:
            known = self.answered[place] = self._client.read(self, k)
        return known

    def inc(self, rows: Rows, delta: Array) -> None:
        refuse_late(self.ended, f"an increment of table {self.name!r}")
        k = key(rows, self.name, self.shape)
        self.patches.add(k, checked(delta, k, self.name, self.shape, self.dtype))
        if self.spec.function.local:
            self.answered.clear()
        if self.cache.managed:
            self._client.offer()
        elif self.spec.staleness is None:
            self._client.send_at_once(self)

    def prefetch(self, rows: Rows = None) -> None:
        self._client.ask_for(self, key(rows, self.name, self.shape))


@final
class Client(Tables):
    """The tables of one worker among several."""

    def __init__(
        self,
        company: Company,
        transport: Transport,
        channels: Sequence[Channel],
        specs: Sequence[TableSpec],
        *,
        worker: int,
        staleness: int | None,
        generation: int = 0,
        clock: int = 0,
        incarnation: int = 0,
        standing: Sequence[int] | None = None,
        cache: str | None = None,
        managed: Managed | None = None,
        deadline: float | None = None,
    ) -> None:
        """`channels` lead to the servers in their order.

        `clock`: the one that runs first: the checkpoint's. Who takes a dead worker's place in a generation that goes
        on is its next `incarnation`, and passes on the clock and `standing` that `resume` has found.

        `cache`: the memory in which rows are kept, see `limits`. None: as much as it takes.

        `managed`: how increments are sent. None: those of a clock leave as it ends.

        `deadline`: seconds that any one wait may take. None: as long as the company lets the run go on, since a wait
        takes as long as another worker's longest clock, and that is no fault.
        """
        self._company = company
        self._transport = transport
        self._channels = channels
        self._senders = [Sender(last) for last in standing or [0] * len(channels)]
        specs = resolve(specs, staleness)
        caches = [
            Cache(spec, len(channels), clock, limit, managed is not None and managed.manages(spec))
            for spec, limit in zip(specs, limits(cache, specs), strict=True)
        ]
        self._tables = [RemoteTable(self, i, each) for i, each in enumerate(caches)]
        self._by_name = {table.name: table for table in self._tables}
        self._worker, self._generation = worker, generation
        self._deadline = math.inf if deadline is None else deadline
        self._sent_bytes = self._received_bytes = 0
        self._requests = incarnation << 32  # answers to a predecessor's aren't taken for ours
        self._open: dict[int, tuple[int, m.Get]] = {}  # this clock's requests without an answer
        self._checked = monotonic()
        self._refused = 0
        self._posting = managed and Posting(
            caches, managed, worker=worker, clock=clock, now=monotonic(), tell=self._tell_letter
        )
        self._ended = self._finished = False
        self.clock_now = company.clock_now = clock

    def table(self, name: str) -> RemoteTable:
        found: RemoteTable = named(self._by_name, name)
        return found

    @property
    def refused(self) -> int:
        """How many messages came that were none, or made no sense."""
        return self._refused + sum(channel.refused for channel in self._channels)

    @property
    def sent_bytes(self) -> int:
        return self._sent_bytes

    @property
    def received_bytes(self) -> int:
        return self._received_bytes

    @property
    def staleness_seen(self) -> int:
        return max((table.cache.staleness_seen for table in self._tables), default=0)

    def clock(self) -> None:
        refuse_late(self._ended, "the end of a clock")
        self._send_clock()
        self._enter(self.clock_now + 1)
        for table in self._tables:
            table.cache.end_clock()
        self._drain()
        self._pay()
        self._check()

    def _enter(self, clock: int) -> None:
        """What was read is to be read anew. What is still needed will be asked for again, with a newer answer."""
        self.clock_now = self._company.clock_now = clock
        self._open.clear()
        for table in self._tables:
            table.answered.clear()

    def _send_clock(self) -> None:
        for table in self._tables:
            self._let_go(table)
        if self._posting is not None:
            self._posting.end_clock(self.clock_now, [table.patches.take() for table in self._tables])
            if self._company.mark is not None and self._company.mark[0] == self.clock_now + 1:
                self._posting.flush()  # what belongs into the checkpoint must not go with what is too late for it
            return
        parts: list[list[m.Patch]] = [[] for _ in self._channels]
        for table in self._tables:
            patches = table.patches.take()
            table.cache.sent(self.clock_now, patches)
            for patch in patches:
                for server, part in split(patch, table.cache.cuts):
                    parts[server].append(part)
        for server, part_of_server in enumerate(parts):
            self._tell(server, m.EndClock(**self._head(server), patches=tuple(part_of_server)))

    def flush(self) -> None:
        """Wait until servers have taken everything that was sent."""
        if self._posting is not None and not self._ended:
            self._posting.flush()
        if not self._all_taken():
            self._nudge()
            self._wait(self._all_taken, self._unacknowledged)

    def end(self) -> None:
        if self._ended:
            return
        self._ended = True
        for table in self._tables:
            table.patches.settle()
        if any(table.patches for table in self._tables):
            self._send_clock()
        if self._posting is not None:
            self._posting.settle()
        for server in range(len(self._channels)):
            self._tell(server, m.Done(**self._head(server)))
        self._enter(FOREVER)
        for table in self._tables:
            table.cache.end()
            table.ended = True

    def finish(self) -> None:
        if self._finished:
            return
        self.end()
        self.flush()
        self._open.clear()
        self._finished = True
        for server in range(len(self._channels)):
            self._tell(server, m.Farewell(**self._head(server)))
        end = monotonic() + FAREWELL
        self._wait(lambda: self._all_taken() or monotonic() > end, self._unacknowledged)
        for channel in self._channels:
            channel.close()

    # ---- what tables ask of their client

    def read(self, table: RemoteTable, k: Key) -> Array:
        """Rows, waited for if need be; more than may be kept are read in parts."""
        if not table.cache.bounded:
            return self._read(table, k)
        out = [self._read(table, part) for part in table.cache.parts(k)]
        if table.cache.trim() or len(table.answered) > ANSWERED:
            table.answered.clear()
            self._let_go(table, at_least=LET_GO)
        rows = out[0] if len(out) == 1 else np.concatenate(out)
        rows = rows if k.inverse is None else rows[k.inverse]
        rows.flags.writeable = False
        return rows[0] if k.single else rows

    def _read(self, table: RemoteTable, k: Key) -> Array:
        def fresh() -> bool:
            if table.cache.fresh(k):
                return True
            self._ask(table, table.cache.wants(k))
            return False

        if not fresh():
            self._wait(fresh, lambda: self._stale(table, k), until=min(table.cache.needs + 1, FOREVER))
        unsent = table.patches.so_far
        if self._posting is not None and not self._ended:
            unsent = [*self._posting.waiting(table.index), *unsent]
        return table.cache.get(k, unsent)

    def ask_for(self, table: RemoteTable, k: Key) -> None:
        """Ask for rows without waiting."""
        for part in table.cache.parts(k) if table.cache.bounded else [k]:
            self._ask(table, table.cache.wants(part))

    def offer(self) -> None:
        """Now increments can be sent, in managed communication."""
        if self._posting is not None:
            self._posting.offer(monotonic())

    def _pay(self) -> None:
        """Wait as long as more was sent than the bandwidth allows."""
        posting = self._posting
        if posting is not None and not posting.affords(monotonic()):
            self._wait(lambda: posting.affords(monotonic()), lambda: "its turn to send: the bandwidth is used up")

    def _let_go(self, table: RemoteTable, at_least: int = 1) -> None:
        """Tell servers what the cache has let go."""
        for server, rows in table.cache.let_go(at_least):
            let_go = m.Release(generation=self._generation, sender=self._worker, table=table.index, rows=rows)
            self._push(server, let_go)

    def send_at_once(self, table: RemoteTable) -> None:
        """Send a table's increments within the clock."""
        for patch in table.patches.take():
            for server, part in split(patch, table.cache.cuts):
                self._tell(server, m.Increments(**self._head(server), patches=(part,)))
                table.cache.sent(self._senders[server].last, [part])
                if self._senders[server].last % DRAIN == 0:
                    self._drain()

    def _ask(self, table: RemoteTable, wants: list[Want]) -> None:
        for want in wants:
            self._requests += 1
            get = m.Get(
                generation=self._generation, sender=self._worker, seq=self._requests, clock=self.clock_now,
                read=table.cache.needs, table=table.index, start=want.start, stop=want.stop, rows=want.rows,
                own=self._senders[want.server].last,
            )  # fmt: skip
            table.cache.asked(self._requests, want)
            self._open[self._requests] = (want.server, get)
            self._push(want.server, get)

    # ---- sending

    def _head(self, server: int) -> dict[str, int]:
        """The header of this server's next numbered message."""
        return {
            "generation": self._generation,
            "sender": self._worker,
            "clock": self.clock_now,
            "seq": self._senders[server].last + 1,
        }

    def _tell(self, server: int, message: Numbered) -> None:
        """Send what must arrive exactly once."""
        sender = self._senders[server]
        if sender.full:
            self._push(server, self._question(server))
            self._wait(lambda: not sender.full, lambda: f"server {server} to take message {sender.last}")
        sender.keep(message)
        self._sent_bytes += size(message)
        self._push(server, message)

    def _tell_letter(self, letter: Letter) -> tuple[int, int]:
        """Send increments that are managed: the number of the message, and their bytes."""
        head = self._head(letter.server)
        message: Numbered = (
            m.Increments(**head, patches=letter.patches)
            if letter.ends is None
            else m.EndClock(**head | {"clock": letter.ends}, patches=letter.patches)
        )
        self._tell(letter.server, message)
        return message.seq, size(message)

    def _push(self, server: int, message: m.Message) -> None:
        end = monotonic() + self._deadline
        while self._channels[server].send(message) is Status.FULL:
            self._company.check()
            if monotonic() > end:
                raise PeerLost(f"server {server} has taken no message for {self._deadline:g} s; look at its log")

    def _question(self, server: int) -> m.Ask:
        return m.Ask(generation=self._generation, sender=self._worker, seq=self._senders[server].last)

    # ---- receiving

    def _drain(self) -> None:
        """Take in all that has come."""
        while self._take_one():
            pass

    def _take_one(self) -> bool:
        """Take in one message of each server; False if none had come."""
        came = False
        for server, channel in enumerate(self._channels):
            message = channel.recv()
            if message is not None:
                came = True
                self._handle(server, message)
        return came

    def _await_one(self) -> bool:
        """Wait a little for messages, and take in one of each server that has any."""
        patience = CHECK if self._posting is None else self._posting.patience(monotonic(), CHECK)
        if len(self._channels) > 1:
            return self._transport.wait(self._channels, patience) and self._take_one()
        message = self._channels[0].recv(patience)  # cheaper than to wait and then receive
        if message is not None:
            self._handle(0, message)
        return message is not None

    def _handle(self, server: int, message: m.Message) -> None:
        if message.generation != self._generation:
            self._refused += 1
            return
        match message:
            case m.Rows() if self._can_be(server, message):
                self._received_bytes += sum(block.nbytes for block in message.values)
                self._open.pop(message.seq, None)
                table = self._tables[message.table]
                table.cache.handle(server, message)
                table.answered.clear()  # what is read next may be newer, and then nothing older
            case m.Ack() | m.Nack() if heard_of(message, self._senders[server]):
                self._senders[server].acked(message.seq if isinstance(message, m.Ack) else message.seq - 1)
                for table in self._tables:
                    table.cache.heard(server, message.read)
                if isinstance(message, m.Nack):
                    for again in self._senders[server].missing(message.seq):
                        self._push(server, again)
            case m.Refused() if message.seq in self._open or self._senders[server].waits_for(message.seq):
                raise RunFailed(f"server {server} refuses what worker {self._worker} sent: {message.reason}")
            case m.Standing():
                pass  # it has been understood
            case _:
                self._refused += 1

    def _can_be(self, server: int, message: m.Rows) -> bool:
        if message.table >= len(self._tables):
            return False
        cache, (asked_of, asked) = self._tables[message.table].cache, self._open.get(message.seq, (server, None))
        low, high = cache.cuts[server : server + 2]
        return asked_of == server and makes_sense(message, cache.spec, low, high, asked)

    # ---- waiting

    def _all_taken(self) -> bool:
        return all(sender.empty for sender in self._senders)

    def _wait(self, ready: Callable[[], bool], awaited: Callable[[], str], until: int = 0) -> None:
        """Take in messages until it is `ready`. Raises what the company's check raises, and PeerLost in the end.

        A wait that takes long is told to the company: for `awaited`, which comes once all have come to clock `until`.
        """
        told = heard = start = monotonic()
        while True:
            came = self._await_one()
            self.offer()
            if ready():
                if told != start:
                    self._company.waits("")
                return
            self._check()
            now = monotonic()
            heard = now if came else heard
            if now - told > LONG:
                told = now
                self._company.waits(awaited(), until)
            if now - start > self._deadline:
                raise PeerLost(f"waited {self._deadline:g} s for {awaited()}; look at its log and the slowest worker's")
            if now - heard > SILENCE:
                heard = now
                self._nudge()

    def _check(self) -> None:
        now = monotonic()
        if now - self._checked > CHECK:
            self._checked = now
            self._company.check()

    def _nudge(self) -> None:
        """A connection may have broken and lost what was on its way: ask what came, and ask again for rows."""
        for server, sender in enumerate(self._senders):
            if not (self._finished and sender.empty):  # else it may be gone, rightly
                self._channels[server].send(self._question(server))
        for server, get in self._open.values():
            self._channels[server].send(get)

    def _unacknowledged(self) -> str:
        late = [str(k) for k, sender in enumerate(self._senders) if not sender.empty]
        return f"server {', '.join(late)} to take what worker {self._worker} sent by clock {self.clock_now}"

    def _stale(self, table: RemoteTable, k: Key) -> str:
        servers = ", ".join(map(str, table.cache.stale_servers(k)))
        rows = f"rows [{k.start}, {k.stop})" if k.rows is None else f"{len(k.rows)} rows from {k.rows[0]} on"
        needs = table.cache.needs
        when = f"as of clock {needs}" if needs != FOREVER else "as they are once the work of all has returned"
        return f"server {servers} to send {rows} of table {table.name!r} {when}"


def connect(
    transport: Transport, addresses: Sequence[str], worker: int, incarnation: int = 0, generation: int = 0
) -> list[Channel]:
    """A worker's channels to the servers at these addresses, of its `incarnation` in this generation."""
    return [transport.connect(address, name(worker, incarnation, generation)) for address in addresses]
