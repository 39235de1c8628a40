"""Parsed: sparse rows that follow each other in a file, and what is wrong with those that can't be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdfs_io.formats.lines import Lines
from hdfs_io.formats.roles import Mask
from hdfs_io.labels import number_codes
from hdfs_io.survey import Ask, Fault, Place, Reject


@dataclass(frozen=True, eq=False)
class Parsed:
    """Rows as they are in the file."""

    lines: Lines
    place: Place  # of a row of them
    rejects: tuple[Reject, ...] = ()  # rows that are no rows, left out already
    greatest: int = -1  # index that the file says there is, whether a row holds it or not


@dataclass(frozen=True, eq=False)
class Wrong:
    """Rows that can't be used as they are, for one reason."""

    kind: str  # "label", "strange", "value" or "index"
    rows: Mask
    count: int  # of labels, values or indices
    what: Callable[[int], str]  # is wrong in a row: the first of them

    def fault(self, place: Place) -> Fault:
        row = int(np.argmax(self.rows))
        return Fault(self.count, place(row, self.what(row)))


def wrong_in(lines: Lines, ask: Ask) -> Iterator[Wrong]:
    """What can't be used, kind by kind."""
    if ask.label and not lines.bare:
        bad = ~_fits(lines.y, ask.precision)
        if bad.any():
            yield Wrong("label", bad, int(bad.sum()), lambda _row: "label")
        if ask.classes is not None:
            bad = number_codes(lines.y, ask.classes) < 0
            if bad.any():
                yield Wrong("strange", bad, int(bad.sum()), lambda row: f"label {lines.y[row]:g}")
    bad = ~np.isfinite(lines.values)
    if bad.any():
        yield _of_values(lines, bad, "value")
    if ask.limit is not None and len(lines.indices):
        bad = outside(lines.indices, *ask.limit)
        if bad.any():
            yield _of_values(lines, bad, "index")


def _of_values(lines: Lines, bad: Mask, kind: str) -> Wrong:
    rows = np.zeros(len(lines.y), np.bool_)
    rows[np.searchsorted(lines.indptr, np.flatnonzero(bad), side="right") - 1] = True

    def what(row: int) -> str:
        begin = lines.indptr[row]
        z = begin + int(np.argmax(bad[begin : lines.indptr[row + 1]]))
        return f"{kind} {lines.indices[z]}:{lines.values[z]:g}"

    return Wrong(kind, rows, int(bad.sum()), what)


def outside(indices: NDArray[np.int32], low: int, high: int) -> Mask:
    return (indices < low) | (indices > high)


def _fits(y: NDArray[np.float64], dtype: type[np.floating[Any]]) -> Mask:
    with np.errstate(over="ignore"):
        return np.asarray(np.isfinite(y.astype(dtype, copy=False)))


def rejected(each: Parsed, wrong: Sequence[Wrong], ask: Ask) -> tuple[Mask, list[Reject]]:
    """The rows that can't be used, unless the user said how, each with the first reason."""
    bad = np.zeros(len(each.lines.y), np.bool_)
    rejects: list[Reject] = []
    for found in wrong:
        if (found.kind == "value" and ask.missing != "stop") or (found.kind == "index" and ask.unknown == "drop"):
            continue
        rows = np.flatnonzero(found.rows & ~bad).tolist()
        rejects += [Reject(found.kind, each.place(row, found.what(row)), _text(each.lines, row)) for row in rows]
        bad |= found.rows
    return bad, rejects


def _text(lines: Lines, row: int) -> str:
    part = slice(lines.indptr[row], lines.indptr[row + 1])
    pairs = (f"{j}:{x:g}" for j, x in zip(lines.indices[part], lines.values[part], strict=True))
    return " ".join((f"{lines.y[row]:g}", *pairs))
