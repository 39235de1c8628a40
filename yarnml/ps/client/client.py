"""A client: a worker's link to the servers that hold the tables. All I/O is in the worker's own thread.

libzmq's thread receives while the worker computes, so what was asked for ahead, or is pushed, is there when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import final

import numpy as np

from yarnml.comm.company import FOREVER, Company
from yarnml.errors import RunFailed
from yarnml.ps.client.cache import Cache
from yarnml.ps.client.limit import limits
from yarnml.ps.client.line import Line
from yarnml.ps.client.outbox import Letter
from yarnml.ps.client.patience import CHECK, Patience
from yarnml.ps.client.posting import Posting
from yarnml.ps.client.reading import Want
from yarnml.ps.client.remote import Agent, RemoteTable
from yarnml.ps.client.requests import Requests
from yarnml.ps.client.sense import heard_of
from yarnml.ps.keys import Key
from yarnml.ps.managed import Managed
from yarnml.ps.patches import split
from yarnml.ps.sender import Numbered, name
from yarnml.ps.spec import TableSpec, resolve
from yarnml.ps.table import Array, Tables, named, refuse_late
from yarnml.wire import message as m
from yarnml.wire.transport import Channel, Transport

DRAIN = 8  # messages sent within a clock after which to look what has come
ANSWERED = 4096  # of a clock's gets that are remembered where memory is limited
LET_GO = 1 << 16  # rows let go within a clock that are told before it ends
FAREWELL = 5.0  # s to wait for the last acknowledgement: a server that has all may be gone


@final
class Client(Tables, Agent):
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
        self._patience = Patience(company, deadline, listen=self._listen, nudge=self._nudge)
        self._lines = [
            Line(k, channel, self._patience, worker=worker, generation=generation, last=last)
            for k, (channel, last) in enumerate(zip(channels, standing or [0] * len(channels), strict=True))
        ]
        self._only = channels[0] if len(channels) == 1 else None
        specs = resolve(specs, staleness)
        caches = [
            Cache(spec, len(channels), clock, limit, managed is not None and managed.manages(spec))
            for spec, limit in zip(specs, limits(cache, specs), strict=True)
        ]
        self._tables = [RemoteTable(self, i, each) for i, each in enumerate(caches)]
        self._by_name = {table.name: table for table in self._tables}
        self._worker, self._generation = worker, generation
        self._requests = Requests(incarnation)
        self._received_bytes = self._refused = 0
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
        return self._refused + sum(line.channel.refused for line in self._lines)

    @property
    def sent_bytes(self) -> int:
        return sum(line.sent_bytes for line in self._lines)

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
        self._patience.check()

    def _enter(self, clock: int) -> None:
        """What was read is to be read anew."""
        self.clock_now = self._company.clock_now = clock
        self._requests.forget()
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
        parts: list[list[m.Patch]] = [[] for _ in self._lines]
        for table in self._tables:
            patches = table.patches.take()
            table.cache.sent(self.clock_now, patches)
            for patch in patches:
                for server, part in split(patch, table.cache.cuts):
                    parts[server].append(part)
        for line, part_of_server in zip(self._lines, parts, strict=True):
            line.tell(m.EndClock(**line.head(self.clock_now), patches=tuple(part_of_server)))

    def flush(self) -> None:
        """Wait until servers have taken everything that was sent."""
        if self._posting is not None and not self._ended:
            self._posting.flush()
        if not self._all_taken():
            self._nudge()
            self._patience.wait(self._all_taken, self._unacknowledged)

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
        for line in self._lines:
            line.tell(m.Done(**line.head(self.clock_now)))
        self._enter(FOREVER)
        for table in self._tables:
            table.cache.end()
            table.ended = True

    def finish(self) -> None:
        if self._finished:
            return
        self.end()
        self.flush()
        self._requests.forget()
        self._finished = True
        for line in self._lines:
            line.tell(m.Farewell(**line.head(self.clock_now)))
        end = monotonic() + FAREWELL
        self._patience.wait(lambda: self._all_taken() or monotonic() > end, self._unacknowledged)
        for line in self._lines:
            line.channel.close()

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
        cache = table.cache
        if not self._come(table, k):
            self._patience.wait(
                lambda: self._come(table, k), lambda: self._stale(table, k), min(cache.needs + 1, FOREVER)
            )
        unsent = table.patches.so_far
        if self._posting is not None and not self._ended:
            unsent = [*self._posting.waiting(table.index), *unsent]
        return cache.get(k, unsent)

    def _come(self, table: RemoteTable, k: Key) -> bool:
        """Whether rows are there; asks for them where that is to be."""
        missing = table.cache.missing(k)
        if missing:
            self._ask(table, missing)
        return missing is None

    def ask_for(self, table: RemoteTable, k: Key) -> None:
        """Ask for rows without waiting."""
        for part in table.cache.parts(k) if table.cache.bounded else [k]:
            self._ask(table, table.cache.wants(part))

    def added(self, table: RemoteTable) -> None:
        """There is a new increment, which leaves within the clock if it is managed or the table unbounded."""
        if self._posting is not None and table.cache.managed:
            self._posting.offer(monotonic())
        elif table.spec.staleness is None:
            self._send_at_once(table)

    def _pay(self) -> None:
        """Wait as long as more was sent than the bandwidth allows."""
        posting = self._posting
        if posting is not None and not posting.affords(monotonic()):
            self._patience.wait(
                lambda: posting.affords(monotonic()), lambda: "its turn to send: the bandwidth is used up"
            )

    def _let_go(self, table: RemoteTable, at_least: int = 1) -> None:
        """Tell servers what the cache has let go."""
        for server, rows in table.cache.let_go(at_least):
            let_go = m.Release(generation=self._generation, sender=self._worker, table=table.index, rows=rows)
            self._lines[server].push(let_go)

    def _send_at_once(self, table: RemoteTable) -> None:
        """Send a table's increments within the clock."""
        for patch in table.patches.take():
            for server, part in split(patch, table.cache.cuts):
                line = self._lines[server]
                line.tell(m.Increments(**line.head(self.clock_now), patches=(part,)))
                table.cache.sent(line.sender.last, [part])
                if line.sender.last % DRAIN == 0:
                    self._drain()

    def _ask(self, table: RemoteTable, wants: list[Want]) -> None:
        cache, requests = table.cache, self._requests
        for want in wants:
            number, line = requests.number(), self._lines[want.server]
            get = m.Get(
                self._generation, self._worker, self.clock_now, number, cache.needs,
                table.index, want.start, want.stop, want.rows, line.sender.last,
            )  # fmt: skip
            cache.asked(number, want)
            requests.asked(want.server, get)
            line.push(get)

    def _tell_letter(self, letter: Letter) -> tuple[int, int]:
        """Send increments that are managed: the number of the message, and their bytes."""
        line = self._lines[letter.server]
        message: Numbered = (
            m.Increments(**line.head(self.clock_now), patches=letter.patches)
            if letter.ends is None
            else m.EndClock(**line.head(letter.ends), patches=letter.patches)
        )
        n = line.tell(message)
        return message.seq, n

    # ---- receiving

    def _drain(self) -> None:
        """Take in all that has come."""
        while self._take_one():
            pass

    def _take_one(self) -> bool:
        """Take in one message of each server; False if none had come."""
        came = False
        for server, line in enumerate(self._lines):
            message = line.channel.recv()
            if message is not None:
                came = True
                self._handle(server, message)
        return came

    def _listen(self) -> bool:
        """Wait a little for messages, take in one of each server that has any, and send what may be sent now."""
        posting = self._posting
        patience = CHECK if posting is None else posting.patience(monotonic(), CHECK)
        if self._only is None:
            came = self._transport.wait([line.channel for line in self._lines], patience) and self._take_one()
        else:  # cheaper than to wait and then receive
            message = self._only.recv(patience)
            came = message is not None
            if message is not None:
                self._handle(0, message)
        if posting is not None:
            posting.offer(monotonic())
        return came

    def _handle(self, server: int, message: m.Message) -> None:
        if message.generation != self._generation:
            self._refused += 1
            return
        match message:
            case m.Rows() if message.table < len(self._tables):
                self._take_rows(server, message)
            case m.Ack() | m.Nack() if heard_of(message, self._lines[server].sender):
                self._hear_of_sent(server, message)
            case m.Refused() if message.seq in self._requests or self._lines[server].sender.waits_for(message.seq):
                raise RunFailed(f"server {server} refuses what worker {self._worker} sent: {message.reason}")
            case m.Standing():
                pass  # it has been understood
            case _:
                self._refused += 1

    def _take_rows(self, server: int, message: m.Rows) -> None:
        table = self._tables[message.table]
        if not self._requests.fits(server, message, table.cache):
            self._refused += 1
            return
        for block in message.values:
            self._received_bytes += block.nbytes
        self._requests.answered(message.seq)
        table.cache.handle(server, message)
        table.answered.clear()  # what is read next may be newer, and then nothing older

    def _hear_of_sent(self, server: int, message: m.Ack | m.Nack) -> None:
        line = self._lines[server]
        line.acked(message.seq if isinstance(message, m.Ack) else message.seq - 1)
        for table in self._tables:
            table.cache.heard(server, message.read)
        if isinstance(message, m.Nack):
            line.again(message.seq)

    # ---- what is waited for

    def _all_taken(self) -> bool:
        return all(line.sender.empty for line in self._lines)

    def _nudge(self) -> None:
        """A connection may have broken and lost what was on its way: ask what came, and ask again for rows."""
        for line in self._lines:
            if not (self._finished and line.sender.empty):  # else it may be gone, rightly
                line.nudge()
        for server, get in self._requests:
            self._lines[server].channel.send(get)

    def _unacknowledged(self) -> str:
        late = [str(k) for k, line in enumerate(self._lines) if not line.sender.empty]
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
