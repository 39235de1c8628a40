"""Pages: readings of ranges of rows, kept as they came. A page is handed to the user as it is, so it never changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import final

import numpy as np
import numpy.typing as npt

from yarnml.comm.company import FOREVER
from yarnml.ps.client.reading import NEVER, Array, Index, Link, Need, Want
from yarnml.ps.managed import sizes
from yarnml.wire.message import Rows

OVERHEAD = 1000  # bytes of the objects of a page
SPARE = 8  # a part in so many is freed at a time


@final
class Piece:
    """The part of a page that one server holds."""

    __slots__ = ("arrays", "asked", "born", "own", "owns", "server", "start", "stop", "version")

    def __init__(self, server: int, start: int, stop: int) -> None:
        self.server, self.start, self.stop = server, start, stop
        self.arrays: tuple[Array, ...] = ()
        self.version = self.own = NEVER
        self.owns: Array | None = None  # of each row, where they differ
        self.asked = NEVER  # the clock in which it was last asked for
        self.born = FOREVER  # how often rows had been let go when it was first asked for

    @property
    def held(self) -> bool:
        return self.version != NEVER


@final
class Page:
    """Rows [start, stop), in one piece a server."""

    __slots__ = ("pieces", "start", "stop", "used", "whole")

    def __init__(self, start: int, stop: int, cuts: tuple[int, ...]) -> None:
        self.start, self.stop = start, stop
        spans = [(k, max(start, cuts[k]), min(stop, cuts[k + 1])) for k in range(len(cuts) - 1)]
        self.pieces = [Piece(k, a, b) for k, a, b in spans if a < b]
        self.whole: Array | None = None  # the pieces as one array
        self.used = True  # since it was last looked at whether it may go


@final
class Pages:
    """All ranges that were read of one table."""

    def __init__(self, cuts: tuple[int, ...], links: Sequence[Link], empty: Array) -> None:
        """`empty`: no row of the table's width and dtype."""
        self._cuts, self._links, self._empty = cuts, links, empty
        self._pages: dict[tuple[int, int], Page] = {}
        self._bytes = 0
        self._starts: list[int] = []  # increasing, with `_ordered`, as long as no two pages overlap
        self._ordered: list[Page] = []
        self._overlap = False

    def at(self, start: int, stop: int) -> Page:
        """The page of exactly these rows."""
        page = self._pages.get((start, stop))
        if page is None:
            page = self._pages[start, stop] = Page(start, stop, self._cuts)
            self._bytes += self._size(page)
            i = bisect_left(self._starts, start)
            before = self._ordered[i - 1].stop if i else start
            after = self._starts[i] if i < len(self._starts) else stop
            self._overlap = (
                self._overlap or before > start or after < stop or (i < len(self._starts) and after == start)
            )
            self._starts.insert(i, start)
            self._ordered.insert(i, page)
        page.used = True
        return page

    def _meeting(self, message: Rows) -> Iterable[Page]:
        """The pages that may have rows of a message."""
        if self._overlap:
            return self._ordered
        page = self._pages.get((message.start, message.stop))
        if page is not None and message.rows is None:
            return (page,)
        if message.rows is not None:
            ends = [page.stop for page in self._ordered]
            first, last = np.searchsorted(message.rows, [self._starts, ends])
            return [self._ordered[i] for i in np.flatnonzero(first < last)]
        return self._ordered[
            max(0, bisect_right(self._starts, message.start) - 1) : bisect_left(self._starts, message.stop)
        ]

    def drop(self, clock: int) -> None:
        """Forget what wasn't asked for since `clock`. The rest gives its memory back one by one, as it is read again:
        all at once would go back to the system, and come again as page faults."""
        kept = [page for page in self._ordered if all(piece.asked >= clock for piece in page.pieces)]
        if len(kept) < len(self._ordered):
            self._keep(kept)

    def trim(self, room: int) -> list[Page]:
        """Let go of the pages that weren't used for longest, roughly, until the rest takes no more than `room` bytes.

        They stand in a queue; who was used since it last came to the front goes to the end once more (Corbató 1968).
        """
        if self._bytes <= room:
            return []
        gone: list[Page] = []
        for _ in range(2):
            for where, page in list(self._pages.items()):
                if self._bytes <= room - room // SPARE:
                    break
                del self._pages[where]
                if page.used:
                    page.used, self._pages[where] = False, page
                else:
                    self._bytes -= self._size(page)
                    gone.append(page)
        out = {(page.start, page.stop) for page in gone}
        self._keep([page for page in self._ordered if (page.start, page.stop) not in out])
        return gone

    def cover(self, rows: Index) -> npt.NDArray[np.bool_]:
        """Which of the rows some page has."""
        if not self._ordered:
            return np.zeros(len(rows), bool)
        reach = np.maximum.accumulate([page.stop for page in self._ordered])
        at = np.searchsorted(self._starts, rows, "right") - 1
        covered: npt.NDArray[np.bool_] = (at >= 0) & (rows < reach[at])
        return covered

    def _keep(self, kept: list[Page]) -> None:
        """Only these, in the order of their rows; those that stay keep their places in the queue."""
        self._ordered = kept
        self._starts = [page.start for page in kept]
        stay = set(map(id, kept))
        self._pages = {where: page for where, page in self._pages.items() if id(page) in stay}
        self._overlap = any(a.stop > b.start or a.start == b.start for a, b in pairwise(kept))
        self._bytes = sum(map(self._size, kept))

    def _size(self, page: Page) -> int:
        return OVERHEAD + (page.stop - page.start) * int(self._empty.shape[1] * self._empty.itemsize)

    def stale(self, page: Page, need: Need) -> list[Piece]:
        """What must come before the page is read."""
        least, links = need.version, self._links
        return [
            piece
            for piece in page.pieces
            if piece.version == NEVER or (piece.version < least and links[piece.server].version < least)
        ]

    def version(self, page: Page) -> int:
        """The clock up to which all increments are in all of a page."""
        return min((max(p.version, self._links[p.server].version) for p in page.pieces), default=FOREVER)

    def wanted(self, stale: list[Piece], need: Need) -> list[Want]:
        """What to ask for so that these come."""
        wants: list[Want] = []
        for piece in stale:
            if piece.asked < need.clock and not (piece.held and need.comes(self._links[piece.server])):
                piece.asked = need.clock
                piece.born = min(piece.born, need.times)
                wants.append(Want(piece.server, piece.start, piece.stop, None, need.times))
        return wants

    def own(self, piece: Piece) -> int | Array:
        """The mark up to which own increments are in; of each row, where they differ."""
        floor = self._links[piece.server].own
        return max(piece.own, floor) if piece.owns is None else np.maximum(piece.owns, floor)

    def norms(self, rows: Index, out: Array) -> None:
        """Write the |row| of those of which there is a reading."""
        for page in self._ordered:
            low, high = np.searchsorted(rows, (page.start, page.stop))
            if low < high and all(piece.held for piece in page.pieces):
                out[low:high] = sizes(self.read(page)[rows[low:high] - page.start])

    def read(self, page: Page) -> Array:
        """The rows of a held page, without a copy if they came as one array."""
        if page.whole is None:
            arrays = page.pieces[0].arrays if len(page.pieces) == 1 else ()
            if len(arrays) != 1:
                arrays = (self._empty, *(array for piece in page.pieces for array in piece.arrays))
            page.whole = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        return page.whole

    def update(self, server: int, message: Rows, version: int, times: int) -> None:
        """Take in rows. `times`: of the want that they answer, -1 if they answer none."""
        start, stop = message.start, message.stop
        for page in self._meeting(message):
            for piece in page.pieces:
                if piece.server != server:
                    continue
                if message.rows is None and start <= piece.start and piece.stop <= stop:
                    if piece.version != NEVER or piece.born <= times:
                        piece.arrays = _window(message.values, piece.start - start, piece.stop - piece.start)
                        piece.version, piece.own, piece.owns = version, message.own, None
                        page.whole = None
                elif piece.held and self._patch(piece, message):
                    page.whole = None

    def _patch(self, piece: Piece, message: Rows) -> bool:
        """Some rows of a piece are newer: they go into a copy, because the user may hold the piece."""
        if message.rows is None:
            low, high = max(piece.start, message.start), min(piece.stop, message.stop)
            if low >= high:
                return False
            at: slice | Index = slice(low - piece.start, high - piece.start)
            newer = np.concatenate(_window(message.values, low - message.start, high - low))
        else:
            first, last = np.searchsorted(message.rows, (piece.start, piece.stop))
            if first >= last:
                return False
            at, newer = message.rows[first:last] - piece.start, message.values[0][first:last]
        copy = np.concatenate(piece.arrays)
        copy[at] = newer
        piece.arrays = (copy,)
        if piece.owns is not None or message.own != piece.own:
            piece.owns = np.full(len(copy), piece.own) if piece.owns is None else piece.owns
            piece.owns[at] = message.own
        return True

    def forget(self, server: int) -> None:
        """Nothing that is held from this server can be trusted."""
        for page in self._ordered:
            for piece in page.pieces:
                if piece.server == server:
                    piece.version = piece.own = piece.asked = NEVER
                    piece.owns = None


def _window(values: tuple[Array, ...], start: int, n: int) -> tuple[Array, ...]:
    """Rows [start, start + n) of consecutive blocks."""
    if len(values) == 1:
        return values if len(values[0]) == n else (values[0][start : start + n],)
    pieces, first = [], 0
    for block in values:
        low, high = max(start, first), min(start + n, first + len(block))
        if low < high:
            pieces.append(block[low - first : high - first])
        first += len(block)
    return tuple(pieces)
