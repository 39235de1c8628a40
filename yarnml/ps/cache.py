"""A cache: what one worker knows of one table, as a state machine without I/O, time or threads.

A row is fresh in clock c if all increments of clocks <= c - s - 1 are in it. What a get returns is

    the row as the servers sent it  +  own increments that were not in it yet   (functions that a worker can apply)

Readings of a range are kept as they came (pages, no copy); of listed rows in a store (one copy). Tables that *pull* are
read anew in each clock: a reading is then good for the clock in which it was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from yarnml.kernels import rows as kernels
from yarnml.ps.keys import Key
from yarnml.ps.patches import overlay, touches
from yarnml.ps.spec import TableSpec, bounds
from yarnml.wire.message import Patch, Rows

Array = npt.NDArray[Any]
NEVER = -(1 << 62)  # the clock of what isn't known


@dataclass(frozen=True, slots=True)
class Want:
    """Rows to ask a server for: [start, stop), or those listed."""

    server: int
    start: int
    stop: int
    rows: npt.NDArray[np.int64] | None = None


@final
class Piece:
    """The part of a page that one server holds."""

    __slots__ = ("arrays", "asked", "own", "server", "start", "stop", "version")

    def __init__(self, server: int, start: int, stop: int) -> None:
        self.server, self.start, self.stop = server, start, stop
        self.arrays: tuple[Array, ...] = ()
        self.version = self.own = NEVER
        self.asked = NEVER  # the clock in which it was last asked for

    @property
    def held(self) -> bool:
        return self.version != NEVER


@final
class Page:
    """Rows [start, stop), in one piece a server."""

    __slots__ = ("pieces", "whole")

    def __init__(self, start: int, stop: int, cuts: tuple[int, ...]) -> None:
        spans = [(k, max(start, cuts[k]), min(stop, cuts[k + 1])) for k in range(len(cuts) - 1)]
        self.pieces = [Piece(k, a, b) for k, a, b in spans if a < b]
        self.whole: Array | None = None  # the pieces as one array


@final
class Store:
    """Rows read one by one: a mirror of the table in which those `held` are known. Its memory comes with use."""

    def __init__(self, spec: TableSpec) -> None:
        self.mirror = np.empty(spec.shape, spec.numpy_dtype)
        self.held = np.zeros(spec.rows, bool)
        self.version = np.full(spec.rows, NEVER)
        self.own = np.full(spec.rows, NEVER)
        self.asked = np.full(spec.rows, NEVER)


@final
class Link:
    """What is known of one server: how far its pushes have brought all that is held from it."""

    __slots__ = ("number", "own", "slowest", "version")

    def __init__(self) -> None:
        self.version = self.own = NEVER
        self.slowest = NEVER  # clock, as last said by an Ack or Nack
        self.number = 0  # of the last Rows


@final
class Cache:
    """One worker's knowledge of one table."""

    def __init__(self, spec: TableSpec, servers: int) -> None:
        assert spec.staleness != "run", "the run's staleness is resolved before"
        self._spec, self._staleness = spec, spec.staleness
        self.cuts = bounds(spec.rows, servers)
        self._links = [Link() for _ in range(servers)]
        self._pages: dict[tuple[int, int], Page] = {}
        self._store: Store | None = None
        self._asked: dict[int, tuple[Want, int]] = {}  # request -> rows, and the clock in which it was asked
        self._pending: dict[int, list[Patch]] = {}  # clock (number, if unbounded) -> own increments that may be needed
        self.clock = 0

    # ---- time and own increments

    @property
    def needs(self) -> int:
        """The clock up to which a server must have all increments before it answers."""
        return -1 if self._staleness is None else self.clock - self._staleness - 1

    @property
    def _fresh_from(self) -> int:
        return self.clock if self._spec.pulls else self.needs

    def sent(self, mark: int, patches: list[Patch]) -> None:
        """Own increments of clock `mark` have been sent; of an unbounded table, with message `mark`."""
        if self._spec.function.local and patches:
            self._pending.setdefault(mark, []).extend(patches)

    def end_clock(self) -> None:
        """The next clock begins: forget what can't be used in it."""
        self.clock += 1
        if self._spec.pulls:
            self._pages.clear()
        if self._staleness is None:
            self._pending.clear()
        else:
            known = max(self.needs, min(link.own for link in self._links))
            for mark in [p for p in self._pending if p <= known]:
                del self._pending[mark]

    # ---- asking

    def wants(self, key: Key) -> list[Want]:
        """What must be asked for before `get(key)`; from now on it is taken to have been asked for.

        What is held and stale will be pushed when the slowest clock moves, so it is not asked for, unless the server
        has said that the clock did move: then the push was lost.
        """
        return list(self._wanted(key) if key.rows is None else self._wanted_rows(key.rows))

    def _comes(self, server: int) -> bool:
        """Whether what is held from this server, and stale, will be pushed."""
        return self._spec.pushes and self._links[server].slowest < self.needs

    def _wanted(self, key: Key) -> Iterator[Want]:
        for piece in self._page(key).pieces:
            if (
                piece.asked < self.clock
                and not self._is_fresh(piece)
                and not (piece.held and self._comes(piece.server))
            ):
                piece.asked = self.clock
                yield Want(piece.server, piece.start, piece.stop)

    def _wanted_rows(self, rows: npt.NDArray[np.int64]) -> Iterator[Want]:
        store = self._row_store()
        missing = ~self._fresh_rows(rows) & (store.asked[rows] < self.clock)
        for k, part in self._by_server(rows):
            if self._comes(k):
                missing[part] &= ~store.held[rows[part]]
        asked = rows[missing]
        store.asked[asked] = self.clock
        for k, part in self._by_server(asked):
            yield Want(k, 0, 0, asked[part])

    def asked(self, request: int, want: Want) -> None:
        """`want` went out as this request."""
        self._asked[request] = (want, self.clock)

    # ---- reading

    def fresh(self, key: Key) -> bool:
        """Whether `get(key)` may be answered now."""
        if key.rows is not None:
            return bool(self._fresh_rows(key.rows).all())
        return all(map(self._is_fresh, self._page(key).pieces))

    def stale_servers(self, key: Key) -> list[int]:
        """The servers that `key` waits for."""
        if key.rows is not None:
            return [k for k, _ in self._by_server(key.rows[~self._fresh_rows(key.rows)])]
        return [p.server for p in self._page(key).pieces if not self._is_fresh(p)]

    def get(self, key: Key, running: list[Patch]) -> Array:
        """The rows of a fresh key, read-only. `running`: own increments that are not sent yet."""
        out = self._get_page(key, running) if key.rows is None else self._get_rows(key, running)
        out.flags.writeable = False
        return out

    def _get_page(self, key: Key, running: list[Patch]) -> Array:
        page = self._page(key)
        if page.whole is None:
            arrays = [array for piece in page.pieces for array in piece.arrays]
            if len(arrays) == 1:
                page.whole = arrays[0].view()
            else:
                empty = np.empty((0, self._spec.width), self._spec.numpy_dtype)
                page.whole = np.concatenate([empty, *arrays])
        out = page.whole
        if self._spec.function.local and (running or self._pending):
            for piece in page.pieces:
                own = max(piece.own, self._links[piece.server].own)
                part = Key(piece.start, piece.stop)
                todo = [p for mark in sorted(self._pending) if mark > own for p in self._pending[mark]] + running
                todo = [p for p in todo if touches(part, p)]
                if todo:
                    out = out.copy() if out is page.whole else out
                    overlay(self._spec.function, out[piece.start - key.start : piece.stop - key.start], part, todo)
        return out

    def _get_rows(self, key: Key, running: list[Patch]) -> Array:
        assert key.rows is not None
        store = self._row_store()
        out = np.empty((len(key.rows), self._spec.width), self._spec.numpy_dtype)
        kernels.gather(store.mirror, key.rows, out)
        if self._spec.function.local and (running or self._pending):
            own = self._lifted(store.own, key.rows, [link.own for link in self._links])
            for mark in sorted(self._pending):
                overlay(self._spec.function, out, key, self._pending[mark], own < mark)
            overlay(self._spec.function, out, key, running)
        if key.inverse is not None:
            out = out[key.inverse]
        return out[0] if key.single else out

    # ---- what servers send

    def heard(self, server: int, slowest: int) -> None:
        """The server has said where the slowest clock is, after all that it pushed for it."""
        self._links[server].slowest = slowest

    def handle(self, server: int, message: Rows) -> None:
        """Take in rows: the answer to a request, or a push."""
        link = self._links[server]
        if self._spec.pushes and message.number != link.number + 1:
            self._forget(server)
        link.number = message.number
        want, clock = self._asked.pop(message.seq, (None, NEVER))
        if want is None and self._spec.pulls:
            return
        version = clock if self._spec.pulls else message.read
        if want is not None and want.rows is not None:
            self._row_store().held[want.rows] = True
        if message.values:
            self._update_pages(server, message, version)
            self._update_store(message, version)
        if message.seq == 0:
            link.version, link.own = message.read, message.own

    def _update_pages(self, server: int, message: Rows, version: int) -> None:
        for page in self._pages.values():
            for piece in page.pieces:
                if piece.server != server:
                    continue
                if message.rows is None and message.start <= piece.start and piece.stop <= message.stop:
                    if message.seq or piece.held:
                        piece.arrays = _window(message.values, piece.start - message.start, piece.stop - piece.start)
                        piece.version, piece.own = version, message.own
                        page.whole = None
                elif piece.held:
                    self._patch(page, piece, message)

    def _patch(self, page: Page, piece: Piece, message: Rows) -> None:
        """Some rows of a held piece are newer: they go into a copy, because the user may hold the piece."""
        own = max(piece.own, self._links[piece.server].own)
        if message.rows is None:
            low, high = max(piece.start, message.start), min(piece.stop, message.stop)
            if low >= high:
                return
            copy = np.concatenate(piece.arrays)
            newer = np.concatenate(_window(message.values, low - message.start, high - low))
            copy[low - piece.start : high - piece.start] = newer
        else:
            first, last = np.searchsorted(message.rows, (piece.start, piece.stop))
            if first >= last:
                return
            copy = np.concatenate(piece.arrays)
            copy[message.rows[first:last] - piece.start] = message.values[0][first:last]
        piece.arrays = (copy,)
        page.whole = None
        if message.seq and self._staleness != 0 and message.own != own:
            # some of its rows hold more of our increments than others: one clock can't stand for all
            piece.version = piece.asked = NEVER

    def _update_store(self, message: Rows, version: int) -> None:
        store = self._store
        if store is None:
            return
        if message.rows is not None:
            rows, values = message.rows, message.values[0]
        else:
            if not store.held[message.start : message.stop].any():
                return
            rows = np.arange(message.start, message.stop)
            values = np.concatenate(message.values)
        held = store.held[rows]
        if not held.all():
            rows, values = rows[held], values[held]
        store.mirror[rows] = values
        store.version[rows] = version
        store.own[rows] = message.own

    def _forget(self, server: int) -> None:
        """A push was missed: nothing that is held from this server can be trusted to be up to date."""
        self._links[server].version = self._links[server].own = NEVER
        for page in self._pages.values():
            for piece in page.pieces:
                if piece.server == server:
                    piece.version = piece.own = piece.asked = NEVER
                    page.whole = None
        if self._store is not None:
            low, high = self.cuts[server], self.cuts[server + 1]
            self._store.held[low:high] = False
            for clocks in (self._store.version, self._store.own, self._store.asked):
                clocks[low:high] = NEVER

    # ---- freshness

    def _is_fresh(self, piece: Piece) -> bool:
        if not piece.held:
            return False
        return max(piece.version, self._links[piece.server].version) >= self._fresh_from

    def _fresh_rows(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        store = self._row_store()
        version = self._lifted(store.version, rows, [link.version for link in self._links])
        fresh: npt.NDArray[np.bool_] = store.held[rows] & (version >= self._fresh_from)
        return fresh

    def _lifted(self, clocks: Array, rows: npt.NDArray[np.int64], floors: list[int]) -> Array:
        """Clocks of rows, none lower than that of its server."""
        out = clocks[rows]
        for k, part in self._by_server(rows):
            np.maximum(out[part], floors[k], out=out[part])
        return out

    def _by_server(self, rows: npt.NDArray[np.int64]) -> Iterator[tuple[int, slice]]:
        """(server, which of the rows) for each server that holds some."""
        cuts = [0, len(rows)] if len(self.cuts) == 2 else np.searchsorted(rows, self.cuts).tolist()
        for k in range(len(cuts) - 1):
            if cuts[k] < cuts[k + 1]:
                yield k, slice(cuts[k], cuts[k + 1])

    def _page(self, key: Key) -> Page:
        page = self._pages.get((key.start, key.stop))
        if page is None:
            page = self._pages[key.start, key.stop] = Page(key.start, key.stop, self.cuts)
        return page

    def _row_store(self) -> Store:
        if self._store is None:
            self._store = Store(self._spec)
        return self._store


def _window(values: tuple[Array, ...], start: int, n: int) -> tuple[Array, ...]:
    """Rows [start, start + n) of consecutive blocks."""
    pieces, first = [], 0
    for block in values:
        low, high = max(start, first), min(start + n, first + len(block))
        if low < high:
            pieces.append(block[low - first : high - first])
        first += len(block)
    return tuple(pieces)
