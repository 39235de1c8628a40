"""Reader: what a file format must be able to do. A new format is one file that implements it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hdfs_io.dataset import Dataset, Piece
from hdfs_io.kinds import NOTHING, Kinds
from hdfs_io.listing import DataFile
from hdfs_io.options import ReadOptions
from hdfs_io.room import Filled, Room
from hdfs_io.survey import Ask, Place, Survey

PIECE = 32 << 20  # bytes of text that one thread reads at a time


class Reader(ABC):
    """Reads the files of one data set. Its methods may be called from several threads at once."""

    cuts_by_reading: ClassVar[bool] = False  # to cut a file larger than a piece takes reading all of it
    guesses_types: ClassVar[bool] = False  # a column's type is guessed from its text, wherever it is read

    def __init__(self, options: ReadOptions, piece: int = PIECE) -> None:
        """`options` are resolved; `piece` bounds the bytes of a text piece."""
        self.options = options
        self.piece = piece

    @abstractmethod
    def names(self, file: DataFile) -> list[str]:
        """The file's columns, in order."""

    @abstractmethod
    def cut(self, file: DataFile) -> list[Piece]:
        """The file in pieces that end where a row ends; their rows needn't be counted."""

    @abstractmethod
    def uncut(self, file: DataFile) -> Piece:
        """The whole file as one piece, made without reading it."""

    @abstractmethod
    def survey(self, piece: Piece, ask: Ask) -> Survey:
        """Count the piece's rows and find out what is asked."""

    @abstractmethod
    def fill(self, dataset: Dataset, piece: Piece, rows: NDArray[np.int64], room: Room, kept: Any) -> Filled:
        """Read the piece's `rows` (rising positions in it) into `room`. `kept` is what its survey kept, or None."""

    @abstractmethod
    def tables(self, piece: Piece, columns: Sequence[str] | None, kinds: Kinds = NOTHING) -> Iterator[pa.Table]:
        """All rows of the piece as they are in the file.

        `kinds`: what type columns have over all files, as far as that is known.
        """

    @abstractmethod
    def places(self, piece: Piece) -> Iterator[tuple[int, Place]]:
        """Runs of the piece's rows, those that are left out too: how many they are, and where each is."""

    @final
    def where(self, piece: Piece, row: int, what: str) -> str:
        """`file:line: what` of a row of the piece, found by reading it up to there: only errors ask.

        `row`: its position among those that aren't left out.
        """
        row = piece.read_as(row)
        for rows, place in self.places(piece):
            if row < rows:
                return place(row, what)
            row -= rows
        return f"{piece.file}: {what}"  # it has changed meanwhile
