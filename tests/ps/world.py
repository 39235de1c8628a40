"""A run in miniature: real caches, senders and shards, and a network that delays, reorders between peers and loses.

Processes die, hang and come to again; checkpoints are taken on the way, and the run goes back to them, onto another
number of servers. `History` judges every get and every checkpoint.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterator
from copy import deepcopy

import numpy as np

from tests.ps.history import Array, History
from tests.ps.miniature import Miniature
from tests.ps.use import random_delta, random_rows
from yarnml.comm.company import FOREVER
from yarnml.ps.checkpoint.origin import Chunk, Given, Origin
from yarnml.ps.checkpoint.snapshot import Snapshot
from yarnml.ps.client.resume import Disagree
from yarnml.ps.keys import key
from yarnml.ps.managed import Managed
from yarnml.ps.server.shard import Send, Shard
from yarnml.ps.spec import TableSpec, resolve
from yarnml.wire import message as m

FAULTS = 4  # deaths in a history at most


class Kept(Origin):
    """A checkpoint's tables, whole."""

    def __init__(self, tables: dict[str, Array]) -> None:
        self.tables = tables

    def chunks(self, spec: TableSpec, start: int, stop: int) -> Iterator[Chunk]:
        cut = (start + stop) // 2
        yield Chunk(start, self.tables[spec.name][start:cut])
        yield Chunk(cut, self.tables[spec.name][cut:stop])


class Mark:
    """A checkpoint that is being taken."""

    def __init__(self, clock: int, servers: int, workers: int) -> None:
        self.clock = clock
        self.untold = set(range(servers))
        self.unheard = set(range(workers))
        self.taken: dict[int, Snapshot] = {}  # not yet written
        self.written: dict[int, Snapshot] = {}


class World:
    """Workers, servers, and queues between them, by the name under which a process connects."""

    def __init__(
        self,
        specs: list[TableSpec],
        *,
        workers: int,
        servers: int,
        seed: int,
        losses: bool = False,
        faults: bool = False,
        shard: type = Shard,
        limit: int | None = None,
        managed: Managed | None = None,
    ) -> None:
        """`losses`: connections break; only then do workers ask again for what doesn't come. `faults`: processes die,
        and checkpoints are taken."""
        self.losses, self.limit, self.managed = losses, limit, managed
        self.rng = random.Random(seed)
        self.specs = resolve(specs, 0)
        self.history = History(self.specs, workers)
        self.seed, self.shard = seed, shard
        self.mortal, self.faults = faults, FAULTS if faults else 0
        self.generation, self.answered, self.refused, self.checkpoints, self.replaced = -1, 0, 0, 0, 0
        self.clock = 0
        self.origin: Origin = Given({})
        self.mark: Mark | None = None
        self.up: dict[tuple[str, int], deque[m.Message]] = defaultdict(deque)
        self.down: dict[tuple[str, int], deque[Send]] = {}
        self.zombies: list[Miniature] = []
        self.workers: list[Miniature] = []
        self.begin(servers)

    def begin(self, servers: int) -> None:
        """A generation begins, where the last checkpoint was taken. What was under way in the one before still is."""
        self.generation += 1
        self.servers = servers
        self.mark = None
        self.shards = [
            self.shard(
                self.specs, server=k, servers=servers, workers=self.history.workers, seed=self.seed,
                generation=self.generation, clock=self.clock, origin=self.origin, managed=self.managed,
            )
            for k in range(servers)
        ]  # fmt: skip
        for at in [at for at, queue in self.up.items() if not queue or at[1] >= servers]:
            del self.up[at]
        self.down.clear()
        old = [worker for worker in [*self.workers, *self.zombies] if len(worker.senders) <= servers]
        self.zombies = [worker for worker in old if not worker.asking and self.rng.random() < 0.3]
        self.workers = [self.process(w) for w in range(self.history.workers)]

    def process(self, worker: int, incarnation: int = 0, before: Miniature | None = None) -> Miniature:
        made = Miniature(self, self.history, worker, incarnation, before)
        for k in range(self.servers):
            self.up[made.name, k], self.down[made.name, k] = deque(), deque()
        return made

    def step(self, clocks: int) -> None:
        """One random event."""
        event = self.rng.random()
        if event < 0.55:
            self.deliver(*self.rng.choice(list(self.up)))
        elif event < 0.57 and self.losses:
            self.rng.choice(self.workers).nudge()
        elif event < 0.58 and self.losses:
            self.lose(*self.rng.choice(list(self.up)))
        elif event < 0.584 and self.faults:
            self.fault()
        elif event < 0.68 and self.mortal:
            self.checkpoint()
        elif event < 0.72 and self.managed:
            self.offer()
        elif event < 0.73 and self.zombies:
            self.stir(self.rng.choice(self.zombies))
        else:
            worker = self.rng.choice(self.workers)
            if worker.reading is None and not worker.asking:
                if worker.clock < clocks and self.rng.random() > 0.002:
                    self.act(worker)
                else:
                    self.retire(worker)

    # ---- what workers do

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

    def offer(self) -> None:
        """There is room to send, for a worker or a server."""
        if self.rng.random() < 0.5:
            self.rng.choice(self.workers).offer(self.rng.choice([20, 60, 1000]))
            return
        k = self.rng.randrange(self.servers)
        for send in self.shards[k].offer(self.rng.choice([100, 400, 5000])):
            self.sent(k, send)

    def stir(self, zombie: Miniature) -> None:
        """One that was taken for dead goes on as if nothing had happened."""
        zombie.reading = None
        if zombie.clock != FOREVER:
            self.act(zombie)

    # ---- what the network does

    def deliver(self, peer: str, k: int) -> None:
        """The next message of one direction of one connection, if there is one."""
        up, down = self.up[peer, k], self.down.get((peer, k))
        if up and (not down or self.rng.random() < 0.5):
            message = up.popleft()
            if self.shards[k].knows(peer, message):
                for send in self.shards[k].handle(message):
                    self.sent(k, send)
            else:
                self.refused += 1
        elif down:
            send = down.popleft()
            try:
                self.worker(peer).take(k, self.wired(k, send))
            except Disagree:
                self.roll_back()

    def worker(self, peer: str) -> Miniature:
        (found,) = [worker for worker in self.workers if worker.name == peer]
        return found

    def sent(self, k: int, send: Send) -> None:
        """Nothing reaches who is dead."""
        queue = self.down.get((self.shards[k].name(send.worker), k))
        if queue is not None:
            queue.append(send)
        elif send.loan:
            self.shards[k].returned(send)

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

    def lose(self, peer: str, k: int) -> None:
        """The connection breaks, and all that is on it is gone."""
        for send in self.down.get((peer, k), ()):
            if send.loan:
                self.shards[k].returned(send)
        self.up[peer, k].clear()
        if (peer, k) in self.down:
            self.down[peer, k].clear()

    # ---- faults

    def fault(self) -> None:
        """A worker dies, and is replaced if nothing is lost by it; or a server does."""
        self.faults -= 1
        worker = self.rng.choice(self.workers)
        plain = all(spec.plain for spec in self.specs) and self.managed is None
        if plain and worker.clock != FOREVER and self.rng.random() < 0.7:
            self.replace(worker)
        else:
            self.roll_back()

    def replace(self, dead: Miniature) -> None:
        """It may only have been taken for dead; else of what it sent the last is lost."""
        self.replaced += 1
        for k in range(self.servers):
            self.down.pop((dead.name, k))
        if not dead.asking and self.rng.random() < 0.3:
            self.zombies.append(dead)
        else:
            for k in range(self.servers):
                queue = self.up[dead.name, k]
                while queue and self.rng.random() < 0.5:
                    queue.pop()
        new = self.process(dead.index, dead.incarnation + 1, dead.before if dead.asking else dead)
        self.workers[dead.index] = new
        new.hello()

    def roll_back(self) -> None:
        for worker in [*self.workers, *self.zombies]:
            if worker.history is self.history:
                worker.history = deepcopy(self.history)
        self.history.roll_back(self.clock)
        self.begin(self.rng.randrange(1, 4))

    # ---- checkpoints

    def checkpoint(self) -> None:
        """A mark is made, or reaches a worker or server; or a server copies, or has written."""
        mark = self.mark
        if mark is None:
            newest = max(worker.finished for worker in self.workers)
            self.mark = Mark(newest + self.rng.randrange(4), self.servers, len(self.workers))
            return
        k = self.rng.randrange(self.servers)
        if mark.unheard and self.rng.random() < 0.6:
            worker = self.workers[mark.unheard.pop()]
            worker.mark = mark.clock
            if worker.clock >= mark.clock:
                self.abandon()
        elif k in mark.untold:
            mark.untold.remove(k)
            if not self.shards[k].parts.mark(mark.clock):
                self.abandon()
        elif k in mark.taken:
            written = mark.taken.pop(k)
            mark.written[k] = copied(written)
            self.shards[k].parts.written(written)
        elif k not in mark.written:
            snapshot = self.shards[k].parts.snapshot()
            if snapshot is not None:
                mark.taken[k] = snapshot
        if len(mark.written) == self.servers and not mark.unheard:
            self.commit(mark)

    def abandon(self) -> None:
        """Not all are told."""
        assert self.mark is not None
        for k, snapshot in self.mark.taken.items():
            self.shards[k].parts.written(snapshot)
        for shard in self.shards:
            if self.rng.random() < 0.5:
                shard.parts.unmark()
        self.mark = None

    def commit(self, mark: Mark) -> None:
        """All servers have written, and the workers have heard; they take part unless one has ended its work before."""
        self.mark = None
        if any(worker.finished < mark.clock for worker in self.workers if worker.clock == FOREVER):
            return
        self.checkpoints += 1
        tables = {}
        for t, spec in enumerate(self.specs):
            parts = [chunk.values for k in range(self.servers) for chunk in mark.written[k].tables[t][1]]
            tables[spec.name] = np.concatenate(parts)
            np.testing.assert_array_equal(tables[spec.name], self.history.total(t, mark.clock), "a checkpoint")
        self.clock, self.origin = mark.clock, Kept(tables)

    # ---- the end

    def settle(self) -> None:
        """Deliver everything; what still waits then waits for another worker's clock."""
        for _ in range(4):
            for worker in self.workers if self.losses else ():
                worker.nudge()
            for worker in self.workers:
                worker.offer(room=1 << 30)  # who waits has time to send
            while any(self.up.values()) or any(self.down.values()):
                for at in list(self.up):
                    if at in self.up:
                        self.deliver(*at)
        assert not any(worker.asking for worker in self.workers), "a server never says where a worker stood"
        if self.losses:
            assert all(s.empty for worker in self.workers for s in worker.senders), "something is never acknowledged"

    def finish(self, clocks: int) -> None:
        """The work of all workers returns, of some after more clocks; then all of them see everything, once."""
        self.faults = 0
        while True:
            self.settle()
            at_work = [worker for worker in self.workers if worker.clock != FOREVER]
            if not at_work:
                break
            free = [worker for worker in at_work if worker.reading is None]
            assert free, "all wait for each other"
            for worker in free:
                if worker.clock < clocks and self.rng.random() < 0.9:
                    worker.end_clock()
                else:
                    worker.end()
        assert all(worker.reading is None for worker in self.workers), "a read is never answered"
        for worker in self.workers:
            for table, spec in enumerate(self.specs):
                k = key(None, spec.name, spec.shape)
                worker.get(table, k)
                self.settle()
                assert worker.reading is None, "a read is never answered"
                np.testing.assert_array_equal(worker.got, self.history.total(table))


def copied(snapshot: Snapshot) -> Snapshot:
    """As it is read, no earlier than now."""
    tables = tuple(
        (spec, tuple(Chunk(chunk.start, chunk.values.copy()) for chunk in chunks)) for spec, chunks in snapshot.tables
    )
    return Snapshot(snapshot.clock, snapshot.server, snapshot.servers, tables)


FIELDS = ("generation", "sender", "clock", "seq", "read", "table", "start", "stop", "rows", "own", "number", "values")
