"""The UCI bag-of-words format: the numbers of documents, words and triples, then lines `document word count`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

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
from hdfs_io.text import LAST, Block, blocks, last_line, opening

BLOCK = 16 << 20  # bytes parsed at a time
HEAD = 3  # lines


@final
class Docword(Sparse):
    """Reads bags of words: a row of counts a document, empty ones too, without label. Numbers are 1-based.

    The triples are in the documents' order, so a file is one piece.
    """

    def cut(self, file: DataFile) -> list[Piece]:
        return [self.uncut(file)] if file.size else []

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def parsed(self, piece: Piece) -> Iterator[Parsed]:
        (documents, words, stored), begin = _head(piece.file)
        done = seen = 0
        rest = np.empty((3, 0), np.int64)  # triples of a document that may go on
        for block in blocks(piece.file, begin, LAST, min(BLOCK, self.piece), last_line):
            triples = np.concatenate([rest, _triples(block)], axis=1)
            seen += triples.shape[1] - rest.shape[1]
            _check(piece.file, triples, done, documents, words)
            if triples.shape[1]:
                last = int(triples[0, -1]) - 1  # documents before it are whole
                at = int(np.searchsorted(triples[0], last + 1))
                yield _rows(piece.file, triples[:, :at], done, last, words)
                rest, done = triples[:, at:], last
        if seen != stored:
            raise DataError(
                f"{piece.file}: holds {many(seen, 'triple')} where its third line says {stored:,}: cut short?"
            )
        yield _rows(piece.file, rest, done, documents, words)


def _head(url: str) -> tuple[tuple[int, int, int], int]:
    """The three numbers, and where the triples begin."""
    text, _ = opening(url)
    lines = text.split(b"\n", HEAD)[:HEAD]
    sizes = sizes_of([line.strip() for line in lines])
    if len(lines) < HEAD or sizes is None:
        raise DataError(f"{url}: does not begin with three lines of one number each; is this docword?")
    documents, words, stored = sizes
    refuse_sizes(url, documents, words, stored)
    return (documents, words, stored), sum(len(line) + 1 for line in lines)


def _triples(block: Block) -> NDArray[np.int64]:
    """(3, n): document, word, count."""
    columns = dict.fromkeys(("document", "word", "count"), pa.int64())
    found = numbers_of(block.data[block.lo : block.hi].copy(), columns, f"{block.url}: from line {block.line} on")
    return np.stack(found)


def _check(url: str, triples: NDArray[np.int64], done: int, documents: int, words: int) -> None:
    document, word, _ = triples
    if (np.diff(document) < 0).any() or (len(document) and document[0] <= done):
        raise DataError(f"{url}: its documents are not in order; sort its lines by the first number")
    if len(document) and not (document[-1] <= documents and word.min() >= 1 and word.max() <= words):
        raise DataError(f"{url}: a document or word lies beyond the {documents:,} and {words:,} that its head names")


def _rows(url: str, triples: NDArray[np.int64], first: int, end: int, words: int) -> Parsed:
    """Documents [first, end), 0-based."""
    counts = np.bincount(triples[0] - 1 - first, minlength=end - first)
    indptr = np.concatenate(([0], np.cumsum(counts)))
    indices, values = triples[1].astype(np.int32), triples[2].astype(np.float32)
    least = int(indices.min(initial=2**31 - 1))
    lines = Lines(np.full(end - first, np.nan), indptr, indices, values, end - first, least).ordered()
    return Parsed(lines, lambda row, what: f"{url}: document {first + row + 1}: {what}", greatest=words)
