"""The LDA-C format (Blei): a document a line, `N id:count ...` with N pairs; ids are 0-based."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import final

import numpy as np

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats.libsvm import cut_lines, parse_lines
from hdfs_io.formats.parsed import Parsed
from hdfs_io.formats.sparse import Sparse
from hdfs_io.listing import DataFile
from hdfs_io.survey import Reject
from hdfs_io.text import LAST


@final
class Ldac(Sparse):
    """Reads bags of words: rows of counts, without label. Ids may come in any order."""

    def cut(self, file: DataFile) -> list[Piece]:
        return cut_lines(file, self.piece) if file.size else []

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def parsed(self, piece: Piece) -> Iterator[Parsed]:
        skip = self.options.bad_rows == "skip"
        for each in parse_lines(piece, self.piece, skip=skip, rising=False):
            lines = each.lines
            wrong = np.flatnonzero(lines.y != np.diff(lines.indptr))
            what = [f"says that it holds {lines.y[r]:g} pairs, and holds {np.diff(lines.indptr)[r]}" for r in wrong[:1]]
            if len(wrong) and not skip:
                raise DataError(each.place(int(wrong[0]), what[0]))
            rejects = [Reject("number of pairs", each.place(row, "number of pairs"), "") for row in wrong.tolist()]
            good = lines.take(np.delete(np.arange(len(lines.y)), wrong)) if len(wrong) else lines
            kept = np.delete(np.arange(len(lines.y)), wrong)
            bare = replace(good, y=np.full(len(good.y), np.nan), bare=len(good.y))
            yield Parsed(bare, lambda row, what: each.place(int(kept[row]), what), (*each.rejects, *rejects))  # noqa: B023 (asked before the next)
