"""A run in miniature: real caches, senders and shards, and a network that delays, reorders between peers and loses.

Worker v adds positive whole numbers to column v alone, so what a get returns tells how many of v's increments are in
it: every get is judged when it is answered.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from yarnml.comm.company import FOREVER
from yarnml.ps.cache import Cache
from yarnml.ps.keys import Key, key
from yarnml.ps.patches import Patches, split
from yarnml.ps.sender import Sender
from yarnml.ps.shard import Send, Shard
from yarnml.ps.spec import TableSpec, resolve
from yarnml.wire import message as m


@dataclass
class History:
    """All that was added, by (table, worker): a list of (clock, whole table's increment)."""

    specs: tuple[TableSpec, ...]
    workers: int
    added: dict[tuple[int, int], list[tuple[int, np.ndarray[Any, Any]]]] = field(default_factory=dict)
    seen: dict[tuple[int, int, int], np.ndarray[Any, Any]] = field(default_factory=dict)

    def inc(self, table: int, worker: int, clock: int, k: Key, delta: np.ndarray[Any, Any]) -> None:
        rows = rows_of(k)
        whole = np.zeros(self.specs[table].rows)
        np.add.at(whole, rows, delta[:, worker].astype(float))
        self.added.setdefault((table, worker), []).append((clock, whole))

    def judge(self, table: int, reader: int, clock: int, k: Key, got: np.ndarray[Any, Any]) -> None:
        """A get by `reader` in its clock `clock`: fresh enough, own writes in, nothing twice, never back."""
        s, rows = 0 if clock == FOREVER else self.specs[table].staleness, rows_of(k)
        got = got.reshape(len(rows), self.workers)
        for writer in range(self.workers):
            parts = self.added.get((table, writer), [])
            sums = np.cumsum([np.zeros(len(rows))] + [whole[rows] for _, whole in parts], axis=0)
            least, most = 0, len(parts)
            if writer == reader:
                least = most
            elif s is not None:
                least = sum(c <= clock - int(s) - 1 for c, _ in parts)
                most = least if s == 0 else most
            column = got[:, writer]
            allowed = sums[least : most + 1]
            bad = ~(allowed == column).any(axis=0)
            assert not bad.any(), (
                f"table {table} reader {reader} clock {clock} writer {writer} rows {rows[bad]}: {column[bad]} "
                f"is none of {allowed[:, bad].T.tolist()}"
            )
            seen = self.seen.setdefault((table, reader, writer), np.zeros(self.specs[table].rows))
            assert (column >= seen[rows]).all(), f"table {table} reader {reader} writer {writer} goes back"
            seen[rows] = column

    def total(self, table: int) -> np.ndarray[Any, Any]:
        """The table when everything has been counted exactly once."""
        out = np.zeros(self.specs[table].shape)
        for (t, worker), parts in self.added.items():
            if t == table:
                out[:, worker] += np.sum([whole for _, whole in parts], axis=0)
        return out


def rows_of(k: Key) -> np.ndarray[Any, Any]:
    """The rows that a user named, in the user's order."""
    if k.rows is None:
        return np.arange(k.start, k.stop)
    return k.rows if k.inverse is None else k.rows[k.inverse]


def random_rows(rng: random.Random, n: int) -> Any:
    """What a user may write as rows of a table with n rows."""
    a, b = sorted((rng.randrange(n + 1), rng.randrange(n + 1)))
    listed = np.array([rng.randrange(n) for _ in range(rng.randrange(8))], np.int64)
    return rng.choice([None, slice(a, b), slice(0, n // 2), rng.randrange(n), listed])


def random_delta(rng: random.Random, spec: TableSpec, k: Key, worker: int) -> np.ndarray[Any, Any]:
    """Whole numbers in the worker's column."""
    delta = np.zeros((len(k), spec.width), spec.dtype)
    delta[:, worker] = [rng.randrange(1, 4) for _ in range(len(k))]
    return delta


class Miniature:
    """One worker: the glue of `client.py` without its waiting."""

    def __init__(self, world: World, index: int) -> None:
        self.world, self.index = world, index
        self.caches = [Cache(spec, world.servers, limit=world.limit) for spec in world.specs]
        self.patches = [Patches(t, spec.function) for t, spec in enumerate(world.specs)]
        self.senders = [Sender() for _ in range(world.servers)]
        self.open: dict[int, tuple[int, m.Get]] = {}
        self.requests = self.clock = 0
        self.reading: tuple[int, Key] | None = None  # a get that waits
        self.got: np.ndarray[Any, Any] = np.empty(0)  # what the last one returned

    def head(self, k: int) -> dict[str, int]:
        return {"sender": self.index, "clock": self.clock, "seq": self.senders[k].last + 1}

    def tell(self, k: int, message: Any) -> None:
        self.senders[k].keep(message)
        self.world.up[self.index, k].append(message)

    def inc(self, table: int, k: Key, delta: np.ndarray[Any, Any]) -> None:
        self.world.history.inc(table, self.index, self.clock, k, delta)
        self.patches[table].add(k, delta.copy())
        if self.world.specs[table].staleness is None:
            for patch in self.patches[table].take():
                for server, part in split(patch, self.caches[table].cuts):
                    self.tell(server, m.Increments(**self.head(server), patches=(part,)))
                    self.caches[table].sent(self.senders[server].last, [part])

    def end_clock(self) -> None:
        parts: list[list[m.Patch]] = [[] for _ in self.senders]
        for cache, patches in zip(self.caches, self.patches, strict=True):
            self.let_go(cache)
            taken = patches.take()
            cache.sent(self.clock, taken)
            for patch in taken:
                for server, part in split(patch, cache.cuts):
                    parts[server].append(part)
        for server, mine in enumerate(parts):
            self.tell(server, m.EndClock(**self.head(server), patches=tuple(mine)))
        self.clock += 1
        self.open.clear()
        for cache in self.caches:
            cache.end_clock()

    def end(self) -> None:
        """Its work returns, perhaps in the middle of a clock."""
        if any(self.patches):
            self.end_clock()
        for server in range(len(self.senders)):
            self.tell(server, m.Done(**self.head(server)))
        self.clock = FOREVER
        self.open.clear()
        for cache in self.caches:
            cache.end()

    def let_go(self, cache: Cache) -> None:
        for server, rows in cache.let_go():
            gone = m.Release(sender=self.index, table=self.caches.index(cache), rows=rows)
            self.world.up[self.index, server].append(gone)

    def ask(self, table: int, k: Key) -> None:
        cache = self.caches[table]
        for want in cache.wants(k):
            self.requests += 1
            cache.asked(self.requests, want)
            get = m.Get(sender=self.index, seq=self.requests, read=cache.needs, table=table, start=want.start,
                        stop=want.stop, rows=want.rows, own=self.senders[want.server].last)  # fmt: skip
            self.open[self.requests] = (want.server, get)
            self.world.up[self.index, want.server].append(get)

    def get(self, table: int, k: Key) -> None:
        """Answer a get if it is fresh, else let it wait."""
        self.reading = None
        if not self.caches[table].fresh(k):
            self.ask(table, k)
            self.reading = (table, k)
            return
        got = self.got = self.caches[table].get(k, self.patches[table].so_far)
        if self.caches[table].trim() and self.world.rng.random() < 0.3:
            self.let_go(self.caches[table])
        bound = self.world.specs[table].staleness
        assert not isinstance(bound, int) or self.caches[table].staleness_seen <= bound
        self.world.history.judge(table, self.index, self.clock, k, got)
        self.world.answered += 1

    def take(self, k: int, message: m.Message) -> None:
        if isinstance(message, m.Rows):
            self.open.pop(message.seq, None)
            self.caches[message.table].handle(k, message)
        else:
            self.senders[k].acked(message.seq - isinstance(message, m.Nack))
            for cache in self.caches:
                cache.heard(k, message.read)
            if isinstance(message, m.Nack):
                self.world.up[self.index, k].extend(self.senders[k].missing(message.seq))
        if self.reading:
            self.get(*self.reading)

    def nudge(self) -> None:
        for k, sender in enumerate(self.senders):
            self.world.up[self.index, k].append(m.Ask(sender=self.index, seq=sender.last))
        for k, get in self.open.values():
            self.world.up[self.index, k].append(get)


class World:
    """Workers, servers, and queues between them."""

    def __init__(
        self,
        specs: list[TableSpec],
        *,
        workers: int,
        servers: int,
        seed: int,
        losses: bool,
        shard: type = Shard,
        limit: int | None = None,
    ) -> None:
        """`losses`: connections break; only then do workers ask again for what doesn't come."""
        self.losses, self.limit = losses, limit
        self.rng = random.Random(seed)
        self.specs = resolve(specs, 0)
        self.servers = servers
        self.history = History(self.specs, workers)
        self.shards = [shard(self.specs, server=k, servers=servers, workers=workers, seed=seed) for k in range(servers)]
        self.up: dict[tuple[int, int], deque[m.Message]] = {}
        self.down: dict[tuple[int, int], deque[Send]] = {}
        for w in range(workers):
            for k in range(servers):
                self.up[w, k], self.down[w, k] = deque(), deque()
        self.workers = [Miniature(self, w) for w in range(workers)]
        self.answered = 0

    def step(self, clocks: int) -> None:
        """One random event."""
        event = self.rng.random()
        if event < 0.55:
            self.deliver(*self.rng.choice(list(self.up)))
        elif event < 0.57 and self.losses:
            self.rng.choice(self.workers).nudge()
        elif event < 0.58 and self.losses:
            self.lose(*self.rng.choice(list(self.up)))
        else:
            worker = self.rng.choice(self.workers)
            if worker.reading is None:
                if worker.clock < clocks and self.rng.random() > 0.002:
                    self.act(worker)
                else:
                    self.retire(worker)

    def act(self, worker: Miniature) -> None:
        table = self.rng.randrange(len(self.specs))
        spec = self.specs[table]
        k = key(random_rows(self.rng, spec.rows), spec.name, spec.shape)
        what = self.rng.random()
        if what < 0.4:
            worker.get(table, k)
        elif what < 0.5:
            worker.ask(table, k)
        elif what < 0.75:
            worker.inc(table, k, random_delta(self.rng, spec, k, worker.index))
        else:
            worker.end_clock()

    def retire(self, worker: Miniature) -> None:
        """A worker that has ended enough clocks, or all, only reads."""
        if worker.clock != FOREVER:
            worker.end()
        table = self.rng.randrange(len(self.specs))
        spec = self.specs[table]
        worker.get(table, key(random_rows(self.rng, spec.rows), spec.name, spec.shape))

    def deliver(self, w: int, k: int) -> None:
        """The next message of one direction of one connection, if there is one."""
        if self.up[w, k] and (not self.down[w, k] or self.rng.random() < 0.5):
            for send in self.shards[k].handle(self.up[w, k].popleft()):
                self.down[send.worker, k].append(send)
        elif self.down[w, k]:
            send = self.down[w, k].popleft()
            self.workers[w].take(k, self.wired(k, send))

    def wired(self, k: int, send: Send) -> m.Message:
        """What was lent is read by the wire no earlier than now."""
        message = send.message
        if isinstance(message, m.Rows):
            values = tuple(v.copy() for v in message.values)
            message = m.Rows(**{f: getattr(message, f) for f in FIELDS} | {"values": values})
            for v in values:
                v.flags.writeable = False
        if send.loan:
            self.shards[k].returned(send)
        return message

    def lose(self, w: int, k: int) -> None:
        """The connection breaks, and all that is on it is gone."""
        for send in self.down[w, k]:
            if send.loan:
                self.shards[k].returned(send)
        self.up[w, k].clear()
        self.down[w, k].clear()

    def settle(self) -> None:
        """Deliver everything; what still waits then waits for another worker's clock."""
        for _ in range(4):
            for worker in self.workers if self.losses else ():
                worker.nudge()
            while any(self.up.values()) or any(self.down.values()):
                for w, k in self.up:
                    self.deliver(w, k)
        if self.losses:
            assert all(s.empty for worker in self.workers for s in worker.senders), "something is never acknowledged"

    def finish(self, clocks: int) -> None:
        """The work of all workers returns, of some after more clocks; then all of them see everything, once."""
        while at_work := [worker for worker in self.workers if worker.clock != FOREVER]:
            self.settle()
            free = [worker for worker in at_work if worker.reading is None]
            assert free, "all wait for each other"
            for worker in free:
                if worker.clock < clocks and self.rng.random() < 0.9:
                    worker.end_clock()
                else:
                    worker.end()
        self.settle()
        assert all(worker.reading is None for worker in self.workers), "a read is never answered"
        for worker in self.workers:
            for table, spec in enumerate(self.specs):
                k = key(None, spec.name, spec.shape)
                worker.get(table, k)
                self.settle()
                assert worker.reading is None, "a read is never answered"
                np.testing.assert_array_equal(worker.got, self.history.total(table))


FIELDS = ("generation", "sender", "clock", "seq", "read", "table", "start", "stop", "rows", "own", "number", "values")
