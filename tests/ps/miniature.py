"""A worker in miniature: the glue of `client.py` and `resume.py` without their waiting."""

from __future__ import annotations

import random
from collections import deque
from copy import deepcopy
from typing import Any, Protocol

import numpy as np

from tests.ps.history import Array, History, rows_of
from yarnml.comm.company import FOREVER
from yarnml.ps.client.cache import Cache
from yarnml.ps.client.outbox import Letter, Outbox
from yarnml.ps.client.resume import agreed
from yarnml.ps.keys import Key
from yarnml.ps.managed import Managed
from yarnml.ps.patches import Patches, split
from yarnml.ps.sender import Sender, name
from yarnml.ps.spec import TableSpec
from yarnml.wire import message as m


class Surroundings(Protocol):
    """What a worker knows of its world."""

    rng: random.Random
    specs: tuple[TableSpec, ...]
    servers: int
    limit: int | None
    managed: Managed | None
    generation: int
    clock: int  # at which the generation began
    up: dict[tuple[str, int], deque[m.Message]]
    answered: int


class Miniature:
    """One process of worker `index`. One that takes another's place, its predecessor's, asks servers first, and is
    `asking` till then: so long what the predecessor still does may count."""

    def __init__(
        self, world: Surroundings, history: History, index: int, incarnation: int = 0, before: Miniature | None = None
    ) -> None:
        self.world, self.history, self.index, self.before = world, history, index, before
        self.generation, self.incarnation = world.generation, incarnation
        self.name = name(index, incarnation, world.generation)
        self.standings: dict[int, m.Standing] = {}
        self.asking = incarnation > 0
        self.reading: tuple[int, Key] | None = None  # a get that waits
        self.got: Array = np.empty(0)  # what the last one returned
        self.open: dict[int, tuple[int, m.Get]] = {}
        self.begin(world.clock, (0,) * world.servers)

    def begin(self, clock: int, standing: tuple[int, ...]) -> None:
        world = self.world
        self.clock = self.finished = clock
        managed = world.managed
        self.caches = [
            Cache(spec, world.servers, clock, world.limit, managed is not None and managed.manages(spec))
            for spec in world.specs
        ]
        self.outbox = managed and Outbox(
            world.specs, servers=world.servers, managed=managed, seed=self.index, clock=clock
        )
        self.patches = [Patches(t, spec.function) for t, spec in enumerate(world.specs)]
        self.senders = [Sender(last) for last in standing]
        self.requests = self.incarnation << 32
        self.mark: int | None = None  # clock of the checkpoint to come

    def hello(self) -> None:
        for k in range(len(self.senders)):
            self.send(k, m.Hello(generation=self.generation, sender=self.index, seq=self.incarnation))

    def head(self, k: int) -> dict[str, int]:
        return {
            "generation": self.generation,
            "sender": self.index,
            "clock": self.clock,
            "seq": self.senders[k].last + 1,
        }

    def tell(self, k: int, message: Any) -> None:
        self.senders[k].keep(message)
        self.send(k, message)

    def send(self, k: int, message: m.Message) -> None:
        self.world.up[self.name, k].append(message)

    # ---- what an app does

    def inc(self, table: int, k: Key, delta: Array) -> None:
        self.history.inc(table, self.index, self.clock, rows_of(k), delta[:, self.index])
        self.patches[table].add(k, delta.copy())
        if self.world.specs[table].staleness is None and self.outbox is None:
            for patch in self.patches[table].take():
                for server, part in split(patch, self.caches[table].cuts):
                    self.tell(server, m.Increments(**self.head(server), patches=(part,)))
                    self.caches[table].sent(self.senders[server].last, [part])

    def end_clock(self) -> None:
        for cache in self.caches:
            self.let_go(cache)
        taken = [patches.take() for patches in self.patches]
        parts: list[list[m.Patch]] = [[] for _ in self.senders]
        for cache, some in zip(self.caches, taken, strict=True):
            if cache.managed:
                continue
            cache.sent(self.clock, some)
            for patch in some:
                for server, part in split(patch, cache.cuts):
                    parts[server].append(part)
        if self.outbox is not None:
            self.post(self.outbox.end_clock(taken))
            if self.mark == self.clock + 1:
                self.post(self.outbox.flush())
        for server, mine in enumerate(parts if self.outbox is None else ()):
            self.tell(server, m.EndClock(**self.head(server), patches=tuple(mine)))
        self.history.clock(self.index, self.clock)
        self.clock += 1
        self.finished = self.clock
        self.open.clear()
        for cache in self.caches:
            cache.end_clock()

    def end(self) -> None:
        """Its work returns, perhaps in the middle of a clock."""
        if any(self.patches):
            self.end_clock()
        if self.outbox is not None:
            self.post(self.outbox.settle())
        for server in range(len(self.senders)):
            self.tell(server, m.Done(**self.head(server)))
        self.clock = FOREVER
        self.open.clear()
        for cache in self.caches:
            cache.end()

    def offer(self, room: int) -> None:
        """There is room to send so many bytes."""
        if self.outbox is not None and self.clock != FOREVER:
            self.post(self.outbox.offer(room, [cache.norms for cache in self.caches]))

    def post(self, letters: list[Letter]) -> None:
        for letter in letters:
            head = self.head(letter.server)
            if letter.ends is None:
                self.tell(letter.server, m.Increments(**head, patches=letter.patches))
            else:
                self.tell(letter.server, m.EndClock(**head | {"clock": letter.ends}, patches=letter.patches))
            for patch in letter.patches:
                if self.caches[patch.table].managed:
                    self.caches[patch.table].sent(head["seq"], [patch], letter.server)
            if letter.ends is not None and letter.server == len(self.senders) - 1:
                for cache in self.caches:
                    cache.told(letter.ends, [sender.last for sender in self.senders])

    def unsent(self, table: int) -> list[m.Patch]:
        waiting = self.outbox and self.outbox.backlogs.get(table)
        return [*(waiting.patches if waiting is not None else ()), *self.patches[table].so_far]

    def ask(self, table: int, k: Key) -> None:
        cache = self.caches[table]
        for want in cache.wants(k):
            self.requests += 1
            cache.asked(self.requests, want)
            get = m.Get(generation=self.generation, sender=self.index, seq=self.requests, read=cache.needs,
                        table=table, start=want.start, stop=want.stop, rows=want.rows,
                        own=self.senders[want.server].last)  # fmt: skip
            self.open[self.requests] = (want.server, get)
            self.send(want.server, get)

    def get(self, table: int, k: Key) -> None:
        """Answer a get if it is fresh, else let it wait."""
        self.reading = None
        cache = self.caches[table]
        if not cache.fresh(k):
            self.ask(table, k)
            self.reading = (table, k)
            return
        self.got = cache.get(k, self.unsent(table))
        if cache.trim() and self.world.rng.random() < 0.3:
            self.let_go(cache)
        bound = self.world.specs[table].staleness
        assert not isinstance(bound, int) or cache.staleness_seen <= bound
        self.history.judge(table, self.index, self.clock, rows_of(k), self.got)
        self.world.answered += 1

    def let_go(self, cache: Cache) -> None:
        for server, rows in cache.let_go():
            table = self.caches.index(cache)
            self.send(server, m.Release(generation=self.generation, sender=self.index, table=table, rows=rows))

    # ---- what comes

    def take(self, k: int, message: m.Message) -> None:
        """Raises Disagree where its predecessor's place can't be taken."""
        if self.asking or isinstance(message, m.Standing):
            self.hear(k, message)
            return
        if isinstance(message, m.Rows):
            self.open.pop(message.seq, None)
            self.caches[message.table].handle(k, message)
        else:
            self.senders[k].acked(message.seq - isinstance(message, m.Nack))
            for cache in self.caches:
                cache.heard(k, message.read)
            if isinstance(message, m.Nack):
                for again in self.senders[k].missing(message.seq):
                    self.send(k, again)
        if self.reading:
            self.get(*self.reading)

    def hear(self, k: int, message: m.Message) -> None:
        if not self.asking or not isinstance(message, m.Standing):
            return
        self.standings[k] = message
        if len(self.standings) == len(self.senders):
            clock, standing = agreed(self.index, self.standings)
            self.asking = False
            if self.before is not None:
                self.before.history = deepcopy(self.history)  # what it does now never was
            self.history.begin(self.index, clock)
            self.begin(clock, standing)

    def nudge(self) -> None:
        if self.asking:
            self.hello()
            return
        for k, sender in enumerate(self.senders):
            self.send(k, m.Ask(generation=self.generation, sender=self.index, seq=sender.last))
        for k, get in self.open.values():
            self.send(k, get)
