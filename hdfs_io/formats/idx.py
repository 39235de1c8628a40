"""The IDX format of MNIST: images, `x-images-idx3-ubyte`, and beside them their labels, `x-labels-idx1-ubyte`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.tabular import Batch, Tabular
from hdfs_io.kinds import Kinds
from hdfs_io.listing import DataFile
from hdfs_io.spoken import many
from hdfs_io.store import exists
from hdfs_io.survey import Ask, Survey
from hdfs_io.text import stream

PIXELS, LABEL = "pixels", "label"  # the columns
KINDS = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
ROWS = 4096  # at a time
WIDEST = 1 << 24  # numbers of a row


@final
class Idx(Tabular):
    """Reads arrays as rows: their values as a vector, and the label where the file with labels lies beside."""

    def own_names(self, file: DataFile) -> list[str]:
        return [PIXELS, LABEL] if labels_of(file.url) else [PIXELS]

    def cut(self, file: DataFile) -> list[Piece]:
        if not file.size or is_labels(file.url):
            return []
        piece = self.uncut(file)
        return [piece] if piece.stop else []

    def uncut(self, file: DataFile) -> Piece:
        with stream(file.url) as raw:
            return Piece(file.url, 0, _head(raw, file.url)[1][0])

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        return self.look(piece, ask)

    def batches(self, piece: Piece, columns: Sequence[str] | None, _kinds: Kinds) -> Iterator[Batch]:
        beside = labels_of(piece.file)
        labels = None if beside is None else _all(beside)
        with stream(piece.file) as raw:
            kind, shape = _head(raw, piece.file)
            if labels is not None and len(labels) != shape[0]:
                raise DataError(
                    f"{beside}: holds {many(len(labels), 'label')} for {many(shape[0], 'row')} of {piece.file}"
                )
            width = math.prod(shape[1:])
            for first in range(0, shape[0], ROWS):
                n = min(ROWS, shape[0] - first)
                values = pa.array(_numbers(raw, kind, n * width, piece.file))
                every = {PIXELS: pa.FixedSizeListArray.from_arrays(values, width)}
                if labels is not None:
                    every[LABEL] = pa.array(labels[first : first + n])
                table = pa.table(every)
                yield Batch(
                    table if columns is None else table.select(list(columns)), partial(_place, piece.file, first)
                )


def is_labels(url: str) -> bool:
    """Whether a file holds the labels of another."""
    return "labels-idx1" in url or "labels.idx1" in url


def labels_of(url: str) -> str | None:
    """The file with the labels of these images, if there is one."""
    there = url.replace("images-idx3", "labels-idx1").replace("images.idx3", "labels.idx1")
    return there if there != url and exists(there) else None


def _head(raw: object, url: str) -> tuple[np.dtype[np.generic], tuple[int, ...]]:
    """The numbers' type and the array's shape, rows first."""
    magic = raw.read(4)  # type: ignore[attr-defined]
    if len(magic) < 4 or magic[:2] != b"\0\0" or magic[2] not in KINDS or not magic[3]:
        raise DataError(f"{url}: not IDX: it begins {bytes(magic)!r}")
    sizes = bytes(raw.read(4 * magic[3]))  # type: ignore[attr-defined]
    if len(sizes) < 4 * magic[3]:
        raise DataError(f"{url}: cut short; copy it again")
    shape = tuple(int(size) for size in np.frombuffer(sizes, ">u4"))
    if not 1 <= math.prod(shape[1:]) <= WIDEST:
        raise DataError(f"{url}: not IDX: its head promises {math.prod(shape[1:]):,} numbers a row")
    return np.dtype(KINDS[magic[2]]), shape


def _numbers(raw: object, kind: np.dtype[np.generic], count: int, url: str) -> NDArray[np.generic]:
    data = bytes(raw.read(count * kind.itemsize))  # type: ignore[attr-defined]
    if len(data) < count * kind.itemsize:
        raise DataError(f"{url}: cut short: its head promises more; copy it again")
    return np.frombuffer(data, kind).astype(kind.newbyteorder("="))


def _all(url: str) -> NDArray[np.generic]:
    with stream(url) as raw:
        kind, shape = _head(raw, url)
        return _numbers(raw, kind, math.prod(shape), url)


def _place(url: str, first: int, row: int, what: str) -> str:
    return f"{url}: row {first + row}: {what}"
