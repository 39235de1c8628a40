"""The MatrixMarket format: `%%MatrixMarket matrix coordinate real general`, sizes, then `row column value`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.lines import Lines
from hdfs_io.formats.parsed import Parsed
from hdfs_io.formats.sparse import Sparse
from hdfs_io.formats.triples import numbers_of, refuse_sizes, sizes_of
from hdfs_io.listing import DataFile
from hdfs_io.spoken import many
from hdfs_io.text import LAST, stream

FIELDS = ("real", "double", "integer", "pattern")
MIRRORED = {"general": 0, "symmetric": 1, "skew-symmetric": -1}  # what an entry is in the other triangle


@final
class MatrixMarket(Sparse):
    """Reads matrices: sparse rows without label. Entries may come in any order, so a file is one piece, held whole."""

    def cut(self, file: DataFile) -> list[Piece]:
        return [self.uncut(file)] if file.size else []

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def parsed(self, piece: Piece) -> Iterator[Parsed]:
        X = _read(piece.file)
        indices = X.indices.astype(np.int32) + 1  # as they are written
        least = int(indices.min(initial=2**31 - 1))
        with np.errstate(over="ignore"):
            values = X.data.astype(np.float32)
        lines = Lines(np.full(X.shape[0], np.nan), X.indptr.astype(np.int64), indices, values, X.shape[0], least)
        yield Parsed(lines, lambda row, what: f"{piece.file}: row {row + 1}: {what}", greatest=X.shape[1])


def _read(url: str) -> Any:
    """The file's matrix by rows."""
    from scipy.sparse import coo_matrix  # slow to import

    with stream(url) as file:
        text = file.read()
    first, _, rest = text.partition(b"\n")
    form = first.decode(errors="replace").lower().split()
    if len(form) != 5 or form[:2] != ["%%matrixmarket", "matrix"] or form[3] not in FIELDS or form[4] not in MIRRORED:
        raise DataError(f"{url}: its first line is {first[:60]!r}; read are matrices, real, integer or pattern")
    while rest.startswith(b"%") or (rest and not rest.split(b"\n", 1)[0].strip()):
        rest = rest.partition(b"\n")[2]
    sizes, _, body = rest.partition(b"\n")
    shape = sizes_of(sizes.split()) or []
    data = np.frombuffer(body, np.uint8).copy()
    if form[2] == "coordinate" and len(shape) == 3:
        i, j, x = _entries(url, data, form[3])
        _refuse_count(url, len(x), shape[2])
    elif form[2] == "array" and len(shape) == 2 and form[4] == "general":
        (x,) = numbers_of(data, {"value": pa.float64()}, url)
        shape.append(shape[0] * shape[1])
        _refuse_count(url, len(x), shape[2])
        i, j = np.tile(np.arange(1, shape[0] + 1), shape[1]), np.repeat(np.arange(1, shape[1] + 1), shape[0])
    else:
        raise DataError(f"{url}: its sizes are {sizes[:60]!r}, which don't fit {first[:60]!r}")
    _check(url, shape, i, j)
    if form[4] != "general":
        off = i != j
        i, j = np.concatenate([i, j[off]]), np.concatenate([j, i[off]])
        x = np.concatenate([x, MIRRORED[form[4]] * x[off]])
    return coo_matrix((x, (i - 1, j - 1)), shape=shape[:2]).tocsr()


def _entries(url: str, data: NDArray[np.uint8], field: str) -> Sequence[NDArray[Any]]:
    """Row, column and value of each line; a pattern's values are 1."""
    columns = {"row": pa.int64(), "column": pa.int64()} | ({} if field == "pattern" else {"value": pa.float64()})
    found = numbers_of(data, columns, url)
    return found if field != "pattern" else [*found, np.ones(len(found[0]))]


def _refuse_count(url: str, found: int, said: int) -> None:
    if found != said:
        raise DataError(f"{url}: holds {many(found, 'entry')} where its sizes say {said:,}: cut short?")


def _check(url: str, shape: Sequence[int], i: NDArray[Any], j: NDArray[Any]) -> None:
    rows, columns, stored = shape
    refuse_sizes(url, rows, columns, stored)
    if stored and not (i.min() >= 1 and i.max() <= rows and j.min() >= 1 and j.max() <= columns):
        raise DataError(
            f"{url}: an entry lies beyond the {many(rows, 'row')} and {many(columns, 'column')} that its sizes say"
        )
