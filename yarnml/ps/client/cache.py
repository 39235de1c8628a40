"""A cache: what one worker knows of one table, as a state machine without I/O, time or threads.

A row is fresh in clock c if all increments of clocks <= c - s - 1 are in it; at clock infinity, where a worker is once
its work has returned, if all increments of all workers are. What a get returns is

    the row as its server sent it  +  own increments that were not in it yet   (functions that a worker can apply)

Tables that *pull* are read anew in each clock: a reading is good for the clock in which it was asked for.

With a limit to its memory it lets go of what wasn't read for longest, which is asked for again when it is read again,
and tells which rows servers needn't push any more. What a get has handed out stands; it is the user's.
"""

from __future__ import annotations

from typing import final

import numpy as np

from yarnml.comm.company import FOREVER
from yarnml.ps.client.own import Own
from yarnml.ps.client.pages import Pages
from yarnml.ps.client.reading import NEVER, Array, Index, Link, Need, Want, by_server
from yarnml.ps.client.slots import Everywhere, Few, Slots
from yarnml.ps.client.store import Store
from yarnml.ps.keys import Key
from yarnml.ps.patches import overlay, touches
from yarnml.ps.spec import TableSpec, bounds
from yarnml.wire.message import ALL, Patch, Rows

LEAST = 16  # rows that are kept whatever the limit
_UNASKED: tuple[Want | None, int] = (None, NEVER)


@final
class Cache:
    """One worker's knowledge of one table: pages for ranges, a store for lists of rows."""

    def __init__(
        self, spec: TableSpec, servers: int, clock: int = 0, limit: int | None = None, managed: bool = False
    ) -> None:
        """`spec` with its staleness resolved; `clock`: the worker's first; `limit`: bytes that may be kept;
        `managed`: own increments leave bit by bit, and servers push all that changed only when they are asked."""
        assert spec.staleness != "run", "the run's staleness is resolved before"
        self.spec, self._staleness, self._function = spec, spec.staleness, spec.function
        self._local, self._pulls, self._pushes = spec.function.local, spec.pulls, spec.pushes
        self.cuts = bounds(spec.rows, servers)
        self._links = [Link() for _ in range(servers)]
        self._pages = Pages(self.cuts, self._links, np.empty((0, spec.width), spec.numpy_dtype))
        self._rows: Store | None = None
        self._slots, self._room = _slots(spec, limit)
        self.bounded = self._room is not None
        self._lost: list[Index] = []  # rows of what was let go, of which servers don't know yet
        self._asked: dict[int, tuple[Want, int]] = {}  # request -> rows, and the clock in which it was asked
        self.managed = managed
        self._own = Own(self._links, managed)
        self._need = self._need_at(clock)
        self.staleness_seen = 0  # the most clocks by which a read lacked another worker's increments

    def _need_at(self, clock: int, times: int = 0) -> Need:
        read = -1 if self._staleness is None else clock - self._staleness - 1
        version = clock if self._pulls else read
        return Need(clock, version=version, read=read, pushed=self._pushes, managed=self.managed, times=times)

    @property
    def needs(self) -> int:
        """The clock up to which a server must have all increments before it answers."""
        return self._need.read

    @property
    def _store(self) -> Store:
        if self._rows is None:
            self._rows = Store(self.spec, self.cuts, self._links, self._slots)
            if self._room is not None:  # lists of rows come first
                self._room = 0
        return self._rows

    # ---- the worker's side

    def sent(self, mark: int, patches: list[Patch], server: int = 0) -> None:
        """Own increments of clock `mark` have been sent; of an unbounded or managed table, with message `mark` to
        `server`."""
        if self._local:
            self._own.sent(mark, patches, server)

    def told(self, clock: int, messages: list[int]) -> None:
        """Servers have been told, by these messages, that `clock` has ended; of a managed table."""
        self._own.told(clock, messages)

    def end_clock(self) -> None:
        """The next clock begins: forget what can't be used in it."""
        self._need = self._need_at(self._need.clock + 1, self._need.times)
        if self._pulls:
            self._pages.drop(self._need.clock - 1)
        if self._staleness is None:
            self._own.clear()
        else:
            self._own.expire(self.needs)

    def end(self) -> None:
        """The worker's work has returned. What it reads from now on was asked for after all its increments."""
        self._need = Need(FOREVER, version=FOREVER, read=FOREVER, pushed=False, times=self._need.times)
        self._own.clear()

    def wants(self, key: Key) -> list[Want]:
        """What must be asked for before `get(key)`; from now on it is taken to have been asked for.

        What is held and stale will be pushed when the slowest clock moves, so it is not asked for, unless the server
        has said that the clock did move: then the push was lost.
        """
        if key.rows is None:
            wants = self._pages.wanted(self._pages.stale(self._pages.at(key.start, key.stop), self._need), self._need)
        else:
            wants, lost = self._store.wanted(key.rows, self._need)
            self._lose(lost)
        return wants + self._all_held(key) if self._need.managed and self._pushes else wants

    def missing(self, key: Key) -> list[Want] | None:
        """`wants(key)`, None if it is fresh."""
        if key.rows is not None or self.managed:
            return None if self.fresh(key) else self.wants(key)
        pages, need = self._pages, self._need  # a range is looked up once: this is on the way of every get
        late = pages.stale(pages.at(key.start, key.stop), need)
        return pages.wanted(late, need) if late else None

    def _all_held(self, key: Key) -> list[Want]:
        """To ask servers, once a clock, for all that is held from them, where what is wanted is held and too old."""
        late = [k for k in self.stale_servers(key, held=True) if self._links[k].asked < self._need.clock]
        for k in late:
            self._links[k].asked = self._need.clock
        return [Want(k, self.cuts[k], self.cuts[k]) for k in late]

    def asked(self, request: int, want: Want) -> None:
        """`want` went out as this request."""
        self._asked[request] = (want, self._need.clock)

    def fresh(self, key: Key) -> bool:
        """Whether `get(key)` may be answered now."""
        if key.rows is not None:
            return bool(self._store.fresh(key.rows, self._need).all())
        return not self._pages.stale(self._pages.at(key.start, key.stop), self._need)

    def stale_servers(self, key: Key, held: bool = False) -> list[int]:
        """The servers that `get(key)` waits for; `held`: for rows of which an older state is held."""
        if key.rows is None:
            late = self._pages.stale(self._pages.at(key.start, key.stop), self._need)
            return [piece.server for piece in late if piece.held or not held]
        stale = key.rows[~self._store.fresh(key.rows, self._need)]
        stale = stale[self._store.held(stale)] if held else stale
        return np.unique(np.searchsorted(self.cuts, stale, "right") - 1).tolist() if len(stale) else []

    def get(self, key: Key, running: list[Patch]) -> Array:
        """The rows of a fresh key, read-only. `running`: own increments that are not sent yet."""
        if self._staleness and not self._pulls and self._need.clock != FOREVER:  # at 0 it can be but 0
            if key.rows is not None:
                self._saw(self._store.version(key.rows))
            else:
                self._saw(self._pages.version(self._pages.at(key.start, key.stop)))
        out = self._get_range(key, running) if key.rows is None else self._get_rows(key, running)
        if out.flags.writeable:
            out.flags.writeable = False
        return out[0] if key.single else out

    def _saw(self, version: int) -> None:
        """A read holds all workers' increments of clocks <= `version`."""
        seen = self._need.clock - 1 - version
        if seen > self.staleness_seen:
            self.staleness_seen = seen

    def norms(self, rows: Index) -> Array:
        """|row| of rows as they were last read, nan where they weren't."""
        out = np.full(len(rows), np.nan, np.float32)
        self._pages.norms(rows, out)
        if self._rows is not None:
            self._rows.norms(rows, out)
        return out

    # ---- within its limit

    def parts(self, key: Key) -> list[Key]:
        """What to read one after another, each within the limit, to have the rows of `key` in increasing order."""
        if key.rows is None:
            return [Key(0, 0, np.array([key.start]))] if key.single else [key]
        most = self._slots.most
        return [Key(0, 0, key.rows[i : i + most]) for i in range(0, max(1, len(key.rows)), most)]

    def trim(self) -> bool:
        """Let go of ranges, after a read, if they take more than the limit. False if it isn't so."""
        gone = [] if self._room is None else self._pages.trim(self._room)
        for page in gone:
            self._lose(np.arange(page.start, page.stop))
        return bool(gone)

    def _lose(self, rows: Index) -> None:
        if self._pushes and len(rows):
            self._lost.append(rows)

    def let_go(self, at_least: int = 1) -> list[tuple[int, Index]]:
        """The rows that servers needn't push any more, by server: they are told next. [] if fewer than `at_least`."""
        if sum(map(len, self._lost)) < at_least:
            return []
        rows = np.unique(np.concatenate(self._lost))
        self._lost = []
        kept = self._pages.cover(rows)
        if self._rows is not None:
            kept |= self._rows.has(rows)
        rows = rows[~kept]
        self._need.times += bool(len(rows))
        return [(k, rows[part]) for k, part in by_server(rows, self.cuts)]

    # ---- reading

    def _get_range(self, key: Key, running: list[Patch]) -> Array:
        page = self._pages.at(key.start, key.stop)
        out = whole = self._pages.read(page)
        if not self._local or not (running or self._own):
            return out
        for piece in page.pieces:
            part = Key(piece.start, piece.stop)
            own = self._pages.own(piece)
            least = own if isinstance(own, int) else int(own.min())
            lacking = [*self._own.after(least), *((FOREVER, p) for p in running)]
            lacking = [(mark, p) for mark, p in lacking if touches(part, p)]
            if lacking and out is whole:
                out = whole.copy()
            for mark, p in lacking:
                where = None if isinstance(own, int) else own < mark
                overlay(self._function, out[piece.start - key.start : piece.stop - key.start], part, [p], where)
        return out

    def _get_rows(self, key: Key, running: list[Patch]) -> Array:
        assert key.rows is not None
        out = self._store.read(key.rows)
        if self._local and (running or self._own):
            own = self._store.own(key.rows)
            for mark, patch in self._own.after(NEVER):
                overlay(self._function, out, key, [patch], own < mark)
            overlay(self._function, out, key, running)
        return out if key.inverse is None else out[key.inverse]

    # ---- the servers' side

    def heard(self, server: int, slowest: int) -> None:
        """The server has said where the slowest clock is, after all that it pushed for it."""
        self._links[server].slowest = slowest

    def handle(self, server: int, message: Rows) -> None:
        """Take in rows: the answer to a request, or a push."""
        link, pulls = self._links[server], self._pulls
        if self._pushes and message.number != link.number + 1:
            self._forget(server)
        link.number = message.number
        want, clock = self._asked.pop(message.seq, _UNASKED)
        if pulls and want is None:
            return  # answered before
        if want is not None and want.rows is not None:
            self._store.hold(want)
        if pulls and clock == self._need.clock != FOREVER:
            self._saw(message.read)
        version = clock if pulls else message.read
        if message.values:
            times = -1 if want is None or want.rows is not None or want.all_held else want.times
            self._pages.update(server, message, version, times)
            if self._rows is not None:
                self._rows.update(message, version)
        if message.seq == ALL or (want is not None and want.all_held and self._need.clock != FOREVER):
            link.version, link.own = message.read, message.own

    def _forget(self, server: int) -> None:
        """A push was missed: what is held from this server may have changed unseen."""
        link = self._links[server]
        link.version = link.own = link.asked = NEVER
        self._pages.forget(server)
        if self._rows is not None:
            self._rows.forget(server)


def _slots(spec: TableSpec, limit: int | None) -> tuple[Slots, int | None]:
    """Where rows that are listed lie, and the bytes left for ranges; None: there is room for all of both."""
    row = spec.width * spec.numpy_dtype.itemsize + Store.beside()
    if limit is None or limit >= 2 * row * spec.rows or spec.rows <= LEAST:
        return Everywhere(spec.rows), None
    return Few(min(spec.rows, max(LEAST, limit // (row + Few.beside())))), limit
