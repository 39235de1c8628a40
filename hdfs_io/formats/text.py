"""Plain text: a document a line, with the directory that its file lies in as its class; or a document a file."""

from __future__ import annotations

import posixpath
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import final
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from hdfs_io.bundle import Bundles, blocks_of
from hdfs_io.dataset import Piece
from hdfs_io.formats.libsvm import cut_lines
from hdfs_io.formats.tabular import Batch, Tabular
from hdfs_io.kinds import Kinds
from hdfs_io.listing import DataFile
from hdfs_io.survey import Ask, Survey
from hdfs_io.text import LAST, MARK, OPENING, Block, last_line, refuse_binary, stream

TEXT, CLASS, FILE = "text", "class", "file"  # the columns


@final
class Text(Tabular, Bundles):
    """Reads lines as rows with the columns text and class. Bytes that are no UTF-8 are taken for Latin-1."""

    def own_names(self, _file: DataFile) -> list[str]:
        return [TEXT, CLASS]

    def cut(self, file: DataFile) -> list[Piece]:
        return cut_lines(file, self.piece) if file.size else []

    def kin(self, _piece: Piece) -> Hashable:
        return True

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        return self.look(piece, ask)

    def batches(self, piece: Piece, columns: Sequence[str] | None, _kinds: Kinds) -> Iterator[Batch]:
        for block in blocks_of(piece, self.piece, last_line):
            lines = _lines(block)
            table = pa.table(
                {TEXT: pa.array(lines, pa.string()), CLASS: pa.array([class_of(piece.file)] * len(lines), pa.string())}
            )
            yield Batch(table if columns is None else table.select(list(columns)), partial(_place, block))


@final
class Files(Tabular):
    """Reads files as rows with the columns text, class and file."""

    def own_names(self, _file: DataFile) -> list[str]:
        return [TEXT, CLASS, FILE]

    def cut(self, file: DataFile) -> list[Piece]:
        return [self.uncut(file)]

    def uncut(self, file: DataFile) -> Piece:
        return Piece(file.url, 0, LAST)

    def survey(self, piece: Piece, ask: Ask) -> Survey:
        return self.look(piece, ask)

    def batches(self, piece: Piece, columns: Sequence[str] | None, _kinds: Kinds) -> Iterator[Batch]:
        with stream(piece.file) as file:
            text = file.read()
        refuse_binary(text[:OPENING], piece.file)
        row = {TEXT: decoded(text), CLASS: class_of(piece.file), FILE: name_of(piece.file)}
        table = pa.Table.from_pylist([row], pa.schema([(name, pa.string()) for name in row]))
        place = partial("{0}: {2}".format, piece.file)
        yield Batch(table if columns is None else table.select(list(columns)), place)


def class_of(url: str) -> str:
    """The name of the directory that a file lies in."""
    return unquote(posixpath.basename(posixpath.dirname(url)))


def name_of(url: str) -> str:
    """A file's own name."""
    return posixpath.basename(url)


def decoded(text: bytes) -> str:
    """UTF-8 where it is such, else Latin-1, in which every byte is a character."""
    try:
        return text.removeprefix(MARK).decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _lines(block: Block) -> list[str]:
    """The block's lines that hold something; `\\n` alone ends one."""
    text = block.data[block.lo : block.hi].tobytes()
    if block.offset == 0:
        text = text.removeprefix(MARK)
    return [decoded(line.rstrip(b"\r")) for line in text.split(b"\n") if line.strip()]


def _place(block: Block, row: int, what: str) -> str:
    lines = block.data[block.lo : block.hi].tobytes().split(b"\n")
    begins = block.lo + np.cumsum([0, *(len(line) + 1 for line in lines)])
    holding = np.flatnonzero([bool(line.strip()) for line in lines])
    return f"{block.where(int(begins[holding[row]]))}: {what}"
