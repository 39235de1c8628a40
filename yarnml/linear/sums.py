"""Sums over the rows of all workers: each a pass over this one's with all its threads, then added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np
from numpy.typing import NDArray

from hdfs_io import CSR, Rows
from yarnml.app import Worker
from yarnml.kernels.gram import gram
from yarnml.kernels.slope import bend, powers, slope

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
NONE = np.zeros(0, np.float32)


@final
@dataclass(frozen=True, eq=False)
class Slope:
    """The loss at one point, all means over the rows' weights."""

    f: float
    g: F64  # (d,) -df/dw
    gb: float  # -df/db
    curve: float  # d2f/db2


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows: (n, d), (n,), and (n,) or (0,) for ones."""

    X: F32 | CSR
    y: F32
    a: F32
    h: F32  # the rows' curvatures at the last slope


@final
class Sums:
    """All workers call its methods together, but for `gram`; what these return is the same for all."""

    def __init__(self, me: Worker, logistic: bool, one: int | None = None) -> None:
        """`one`: the class whose rows have y = 1, where labels are classes; the others' is 0."""
        self._me, self._one, self.logistic = me, one, logistic
        self._h = np.ones(len(me.share), np.float32)
        self.width = me.schema.width
        found = np.zeros(3)
        for piece in self._pieces():
            a, y = piece.a.astype(np.float64) if len(piece.a) else np.ones(len(piece.y)), piece.y.astype(np.float64)
            found += [a.sum(), a @ y, a @ (y * y)]
        count, y1, y2 = (float(x) for x in me.sum(found))
        self._total, self.y, self.y2 = count, y1 / count, y2 / count  # means of y and of its square

    def slope(self, w: F64, b: float) -> Slope:
        """At (w, b); the rows' curvatures there are what later sums use."""
        g, rest = np.zeros((self._me.threads, self.width)), np.zeros((self._me.threads, 3))

        def part(k: int, piece: Piece, lo: int, hi: int) -> None:
            rest[k] += slope(piece.X, piece.y, piece.a, w, b, self.logistic, piece.h, g[k], lo, hi)

        self._each(part)
        total = self._mean(np.append(g.sum(axis=0), rest.sum(axis=0)))
        return Slope(float(total[-3]), total[:-3], float(total[-2]), float(total[-1]))

    def powers(self, curved: bool) -> tuple[F64, F64]:
        """(d,) means of each column and of its square; `curved`: by the rows' curvatures instead of their weights."""
        found = np.zeros((self._me.threads, 2, self.width))

        def part(k: int, piece: Piece, lo: int, hi: int) -> None:
            powers(piece.X, piece.h if curved else piece.a, found[k, 0], found[k, 1], lo, hi)

        self._each(part)
        first, second = self._mean(found.sum(axis=0))
        return first, second

    def bend(self, u: F64, c: float) -> tuple[F64, float]:
        """The Hessian's product with (u, c)."""
        out, rest = np.zeros((self._me.threads, self.width), np.float32), np.zeros(self._me.threads)
        narrow = u.astype(np.float32)

        def part(k: int, piece: Piece, lo: int, hi: int) -> None:
            rest[k] += bend(piece.X, piece.h, narrow, c, out[k], lo, hi)

        self._each(part)
        total = self._mean(np.append(out.sum(axis=0, dtype=np.float64), rest.sum()))
        return total[:-1], float(total[-1])

    def gram(self, columns: NDArray[np.int64], old: int) -> F64:
        """This worker's part of the Hessian's rows `columns[old:]`, in its columns `columns`, and b last.

        `columns[old:]` rises. Of those with each other only the upper half counts.
        """
        m = len(columns)
        G = np.zeros((self._me.threads, m - old, m + 1))
        place = np.full(self.width, -1, np.int32)
        place[columns] = np.arange(m, dtype=np.int32)

        def part(k: int, piece: Piece, lo: int, hi: int) -> None:
            gram(piece.X, piece.h, columns, place, old, G[k], lo, hi)

        if m > old:
            self._each(part)
        total: F64 = G.sum(axis=0) / self._total
        return total

    def _mean(self, x: F64) -> F64:
        total: F64 = self._me.sum(x) / self._total
        return total

    def _pieces(self) -> Iterator[Piece]:
        first = 0
        for rows in self._me.share.chunks():
            a = NONE if rows.weight is None else rows.weight
            yield Piece(rows.X, self._target(rows), a, self._h[first : first + len(rows)])
            first += len(rows)

    def _target(self, rows: Rows) -> F32:
        assert rows.y is not None
        return (rows.y if self._one is None else rows.y == self._one).astype(np.float32, copy=False)

    def _each(self, part: Callable[[int, Piece, int, int], None]) -> None:
        """`part(k, piece, lo, hi)` by thread k on its rows of every piece: which are added up by whom is fixed."""
        me = self._me
        for piece in self._pieces():
            cuts = [len(piece.X) * k // me.threads for k in range(me.threads + 1)]
            me.crew.each(partial(_parts, part, piece, cuts), me.threads, least=1)


def _parts(part: Callable[[int, Piece, int, int], None], piece: Piece, cuts: list[int], lo: int, hi: int) -> None:
    for k in range(lo, hi):
        part(k, piece, cuts[k], cuts[k + 1])
