"""Tally: what a survey of sparse rows has seen so far."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.formats.lines import Lines
from hdfs_io.formats.parsed import Parsed, rejected, wrong_in
from hdfs_io.labels import MOST_LABELS, some
from hdfs_io.merge import by_column, together
from hdfs_io.survey import Ask, Fault, Reject, Survey

LABEL, QID = "label", "qid"  # the columns besides the features
VALUE = "value"  # stands for all features, where columns are named


@dataclass(frozen=True, eq=False)
class Counts:
    """The different labels, sorted, and how many rows have each; of too many for classes, some."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def none(cls) -> Self:
        return cls(np.empty(0), np.empty(0, np.int64))

    def more(self, y: NDArray[np.float64]) -> Self:
        """With those of `y`, nan and inf left out; quick where nothing is new."""
        known, counts = self.values, self.counts
        if len(known):
            at = np.minimum(np.searchsorted(known, y), len(known) - 1)
            old = known[at] == y
            counts, y = counts + np.bincount(at[old], minlength=len(known)), y[~old]
        new, times = np.unique(y[np.isfinite(y)], return_counts=True)
        order = np.argsort(both := np.concatenate((known, new)))
        if len(order) > MOST_LABELS:
            order = order[np.sort(some(both[order]))]
        return type(self)(both[order], np.concatenate((counts, times))[order])

    def arrow(self) -> pa.StructArray:
        return pa.StructArray.from_arrays([pa.array(self.values), pa.array(self.counts)], ["values", "counts"])


@final
class Tally:
    """Takes a piece's rows in their order, and says what they hold."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._parsed = 0  # rows, those that are left out too
        self._rows = self._values = self._bare = 0
        self._least: int | None = None
        self._greatest = -1
        self._grouped = False  # rows have a qid
        self._labels = Counts.none()
        self._faults: defaultdict[str, list[Fault]] = defaultdict(list)
        self._bad: list[int] = []
        self._rejects: list[Reject] = []
        self._kept: list[Lines] = []

    def take(self, each: Parsed) -> None:
        lines, ask = each.lines, self._ask
        self._rejects += each.rejects
        wrong = list(wrong_in(lines, ask))
        if ask.skip:
            bad, rejects = rejected(each, wrong, ask)
            self._bad += (self._parsed + np.flatnonzero(bad)).tolist()
            self._rejects += rejects
            if bad.any():
                lines = lines.take(np.flatnonzero(~bad))
                wrong = list(wrong_in(lines, ask))
        self._parsed += len(each.lines.y)
        for found in wrong:
            self._faults[found.kind].append(found.fault(each.place))
        self._count(lines, each.greatest)
        if ask.keep:
            self._kept.append(replace(lines, qid=None).copy())

    def _count(self, lines: Lines, greatest: int) -> None:
        self._rows += len(lines.y)
        self._values += len(lines.indices)
        self._grouped |= lines.qid is not None
        self._bare += lines.bare
        self._greatest = max(self._greatest, greatest)
        if len(lines.indices):
            self._least = lines.least if self._least is None else min(self._least, lines.least)
            self._greatest = max(self._greatest, int(lines.indices.max()))
        if self._ask.label and not lines.bare and self._ask.distinct:
            self._labels = self._labels.more(lines.y)

    def survey(self) -> Survey:
        """Of all rows that were taken."""
        return Survey(
            rows=self._rows,
            values=self._values,
            columns=((LABEL, pa.float64()), *([(QID, pa.int64())] if self._grouped else [])),
            distinct=(self._labels.arrow(),) if self._ask.distinct else None,
            labels=together(self._faults["label"]),
            strange=together(self._faults["strange"]),
            missing=by_column([{VALUE: fault} for fault in self._faults["value"]]),
            least=self._least,
            greatest=self._greatest,
            beyond=together(self._faults["index"]),
            bare=self._bare,
            kept=self._kept if self._ask.keep else None,
            bad=tuple(self._bad),
            rejects=tuple(self._rejects),
        )
