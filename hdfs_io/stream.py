"""Stream: any span of a data set's rows in bounded runs, read ahead by threads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hdfs_io.ahead import Put, Task, ahead
from hdfs_io.csr import CSR
from hdfs_io.dataset import Dataset
from hdfs_io.formats import reader_for
from hdfs_io.formats.layer import Layer
from hdfs_io.hands import hands
from hdfs_io.load import Share, in_hand, piece_bytes, readers, shares
from hdfs_io.narrow import held, narrowed
from hdfs_io.reader import Reader
from hdfs_io.room import Frame, Room
from hdfs_io.rows import Rows, joined
from hdfs_io.sample import Sample

ALL = 1 << 30  # runs of a piece
GROUP = 1 << 12  # rows of small pieces that a thread reads at one go


def stream(
    dataset: Dataset, lo: int, hi: int, sample: Sample | None = None, threads: int = 1, memory: int | None = None
) -> Iterator[Rows]:
    """What `load` returns, without ids, in runs of rows that follow each other: some MB each, none of them empty.

    `threads` of them read pieces at once, fewer where what they have in hand is more than `memory` bytes, and are a
    piece each ahead, or a run where that is more. What one can't hold of a row group is kept on disk meanwhile. Raises
    what `load` does.
    """
    reader = reader_for(dataset.options)
    chosen = shares(dataset, max(0, lo), min(hi, dataset.rows), sample or Sample.all())
    many = readers(dataset, hands(dataset.pieces[0].file, piece_bytes(dataset), threads), memory)
    return ahead(_tasks(dataset, reader, chosen, memory), many, _depth(dataset, many, memory))


def _depth(dataset: Dataset, threads: int, memory: int | None) -> int:
    """Runs that wait of each piece while those of the pieces before it are taken.

    All, where they fit in `memory` beside what threads have in hand: one that has to wait amid a piece reads on only
    once its turn has come, and then alone.
    """
    pieces = (threads + 1) * piece_bytes(dataset) + threads * in_hand(dataset)
    return ALL if memory is None or pieces <= memory else 1


def regrid(runs: Iterable[Rows], size: int) -> Iterator[Rows]:
    """The same rows in runs of `size`, the last one of fewer."""
    waiting: list[Rows] = []
    have = 0
    for rows in runs:
        at = 0
        while have + len(rows) - at >= size:
            cut = at + size - have
            yield joined([*waiting, rows.slice(at, cut)])
            waiting, have, at = [], 0, cut
        if at < len(rows):
            waiting.append(rows.slice(at, len(rows)))
            have += len(rows) - at
    if waiting:
        yield joined(waiting)


def _tasks(dataset: Dataset, reader: Reader, chosen: Iterable[Share], memory: int | None) -> Iterator[Task[Rows]]:
    """The reading of each piece; small ones that follow each other are one task."""
    group: list[Share] = []
    rows = 0
    for share in chosen:
        group.append(share)
        rows += share.piece.rows
        if rows >= GROUP:
            yield partial(_read, dataset, reader, group, memory)
            group, rows = [], 0
    if group:
        yield partial(_read, dataset, reader, group, memory)


def _read(dataset: Dataset, reader: Reader, group: list[Share], memory: int | None, put: Put[Rows]) -> None:
    for share in group:
        if len(share.rows):
            tray = Tray(dataset, share, put)
            reader.fill(dataset, share.piece, share.rows, tray, _kept(dataset, reader, share, memory))
            tray.hand_on()


def _kept(dataset: Dataset, reader: Reader, share: Share, memory: int | None) -> Any:
    """What is at hand of a piece: what its survey kept, or a row group beyond memory put together on disk."""
    beyond = dataset.options.format == "parquet" and memory is not None and held(dataset, share.piece) > memory
    if share.kept is not None or not beyond:
        return share.kept
    assert memory is not None
    columns = Layer(dataset, lambda _row, what: what).columns()
    return narrowed(partial(reader.tables, share.piece), columns, memory // 2)


@final
class Tray(Room):
    """Room for one stretch of a piece's rows, which is handed on when the next one is asked for."""

    def __init__(self, dataset: Dataset, share: Share, put: Put[Rows]) -> None:
        self._dataset, self._share, self._put = dataset, share, put
        self._frame: Frame | None = None
        self._at = self._rows = 0

    def stretch(self, rows: int, values: int = 0) -> Frame:
        self.hand_on()
        self._rows = rows
        self._frame = Frame.of(self._dataset, rows, values)
        return self._frame

    def hand_on(self) -> None:
        """The stretch is filled."""
        if self._frame is None:
            return
        frame, self._frame = self._frame, None
        number = self._share.rows[self._at : self._at + self._rows] + self._share.piece.first_row
        self._at += self._rows
        self._put(Rows(_matrix(frame, self._dataset.schema.width), frame.y, frame.weight, None, number))


def _matrix(frame: Frame, width: int) -> NDArray[np.float32] | CSR:
    if frame.X is not None:
        return frame.X
    assert frame.counts is not None
    return CSR(starts(frame.counts), _some(frame.indices), _some(frame.values), width)


def starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each row's values begin, and the last one's end."""
    indptr = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    return indptr


def _some(array: NDArray[Any] | None) -> NDArray[Any]:
    assert array is not None
    return array
