"""The libsvm format: `label index:value ...`, one sparse row a line, remarks after `#`, groups by `qid:`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import final

from hdfs_io.bundle import Bundles, blocks_of
from hdfs_io.dataset import Piece
from hdfs_io.formats.lines import Scratch, parse_block, parse_good
from hdfs_io.formats.parsed import Parsed
from hdfs_io.formats.sparse import Sparse
from hdfs_io.listing import DataFile
from hdfs_io.store import open_data
from hdfs_io.text import LAST, codec, last_line

BLOCK = 4 << 20  # bytes parsed at a time: what is read and what is made stay in the processor's cache


@final
class Libsvm(Sparse, Bundles):
    """Reads libsvm files, parsed by a compiled loop at about memory speed."""

    def cut(self, file: DataFile) -> list[Piece]:
        if not file.size:
            return []
        return cut_lines(file, self.piece)

    def kin(self, _piece: Piece) -> Hashable:
        return True

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def parsed(self, piece: Piece) -> Iterator[Parsed]:
        yield from parse_lines(piece, self.piece, skip=self.options.bad_rows == "skip")


def cut_lines(file: DataFile, size: int) -> list[Piece]:
    """A text file in pieces of about `size` bytes that end where a line ends; a compressed one is one piece."""
    if file.size <= size or codec(file.url):  # of a small one it needn't be known here whether it is compressed
        return [Piece(file.url, 0, LAST)]
    inner = [_next_line(file, at) for at in range(size, file.size, size)]
    return [Piece(file.url, lo, hi) for lo, hi in pairwise(sorted({0, *inner, file.size}))]


def parse_lines(piece: Piece, most: int, *, skip: bool, rising: bool = True) -> Iterator[Parsed]:
    """The rows of a piece of lines. `rising`: a row's indices have to be in order, else they are put in order."""
    size = min(BLOCK, most, piece.stop - piece.start)
    scratch = Scratch(size)
    for block in blocks_of(piece, size, last_line):
        if block.hi - block.lo > scratch.size:
            scratch = Scratch(block.hi - block.lo)
        if skip:
            lines, places, rejects = parse_good(block, scratch, rising=rising)
            yield Parsed(lines, places.place, rejects)
        else:
            lines, places = parse_block(block, scratch, rising=rising)
            yield Parsed(lines, places.place)


def _next_line(file: DataFile, at: int) -> int:
    """The begin of the first line at or after byte `at`."""
    with open_data(file.url) as stream:
        stream.seek(at - 1)
        while at <= file.size:
            more = stream.read(1 << 16)
            found = more.find(b"\n")
            if found >= 0:
                return int(at + found)
            if not more:
                break
            at += len(more)
    return file.size
