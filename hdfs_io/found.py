"""Found: what a pass over a data set has found, piece by piece and merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.options import ReadOptions
from hdfs_io.schema import LabelKind
from hdfs_io.survey import Survey


@dataclass(frozen=True)
class Found:
    """A data set's surveys, piece by piece and merged."""

    url: str
    options: ReadOptions  # resolved
    pieces: Sequence[Piece]
    surveys: Sequence[Survey]
    whole: Survey
    guessed: bool = False  # the label is the column that it is by its place alone
    notes: tuple[str, ...] = ()
    label: LabelKind = "any"  # what was asked of the label, or seen in the columns' names
    size: int = 0  # bytes of all files, as they are stored
    refused: list[str] | None = None  # where what a run would refuse is only to be told

    def refuse(self, why: DataError) -> None:
        if self.refused is None:
            raise why
        self.refused.append(str(why))
