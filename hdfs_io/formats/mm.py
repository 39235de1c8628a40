"""The MatrixMarket format: `%%MatrixMarket matrix coordinate real general`, sizes, then `row column value`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, final

import numpy as np

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.lines import Lines
from hdfs_io.formats.sparse import Parsed, Sparse
from hdfs_io.listing import DataFile
from hdfs_io.text import LAST, stream


@final
class MatrixMarket(Sparse):
    """Reads matrices: sparse rows without label. Entries may come in any order, so a file is one piece, held whole."""

    def cut(self, file: DataFile) -> list[Piece]:
        return [self.uncut(file)] if file.size else []

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def parsed(self, piece: Piece) -> Iterator[Parsed]:
        X = _read(piece.file)
        values = X.data.astype(np.float32)
        indices = X.indices.astype(np.int32) + 1  # as they are written
        least = int(indices.min(initial=2**31 - 1))
        lines = Lines(np.full(X.shape[0], np.nan), X.indptr.astype(np.int64), indices, values, X.shape[0], least)
        yield Parsed(lines, lambda row, what: f"{piece.file}: row {row + 1}: {what}", greatest=X.shape[1])


def _read(url: str) -> Any:
    """The file's matrix by rows."""
    from scipy.io import mmread  # slow to import
    from scipy.sparse import csr_matrix

    with stream(url) as file:
        text = io.BytesIO(file.read())
    try:
        found = csr_matrix(mmread(text))
    except (ValueError, TypeError, OverflowError, OSError) as error:
        raise DataError(f"{url}: not a whole MatrixMarket file ({error}); write or copy it again") from error
    if np.iscomplexobj(found.data):
        raise DataError(f"{url}: holds complex numbers; features are real")
    found.sum_duplicates()
    return found
