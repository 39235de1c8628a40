"""Here: an errand done by threads of this process, which keeps what it parses for who loads it afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import final

from hdfs_io.dataset import Piece
from hdfs_io.errand import Errand, Looked, Portion
from hdfs_io.hands import each
from hdfs_io.reader import Reader, Survey
from hdfs_io.shelf import Shelf


@final
@dataclass(frozen=True)
class Here:
    """The surveyor that is always there."""

    reader: Reader  # that has cut the pieces, and knows the small files that it has opened
    threads: int
    keep: int  # bytes of what is parsed that are kept; of more, nothing
    progress: Callable[[int, int], None]  # pieces read, of all

    def __call__(self, errand: Errand) -> list[Looked]:
        pieces = [piece for cut in each(self._cut, errand.portions, self.threads) for piece in cut]
        return list(zip(pieces, self._surveys(errand, pieces), strict=True))

    def _cut(self, portion: Portion) -> list[Piece]:
        return self.reader.cut(portion.file) if portion.uncut else [portion.piece]

    def _surveys(self, errand: Errand, pieces: list[Piece]) -> Iterator[Survey]:
        shelf = Shelf(self.keep)
        ask = replace(errand.ask, keep=self.keep > 0)
        bare = replace(ask, keep=False)

        def look(piece: Piece) -> Survey:
            return shelf.take(piece, self.reader.survey(piece, bare if shelf.full else ask))

        surveys = []
        for survey in each(look, pieces, self.threads):
            surveys.append(survey)
            self.progress(len(surveys), len(pieces))
        return (shelf.give(piece, survey) for piece, survey in zip(pieces, surveys, strict=True))
