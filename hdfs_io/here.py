"""Here: an errand done by threads of this process, which keeps what it parses for who loads it afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from hdfs_io.dataset import Piece
from hdfs_io.errand import Errand, Looked, Telling
from hdfs_io.hands import each
from hdfs_io.plan import Progress
from hdfs_io.reader import Reader
from hdfs_io.shelf import Shelf
from hdfs_io.survey import Survey


@final
@dataclass(frozen=True)
class Here:
    """The surveyor that is always there."""

    reader: Reader  # that has cut the pieces, and knows the small files that it has opened
    threads: int
    keep: int  # bytes of what is parsed that are kept; of more, nothing
    progress: Progress

    def __call__(self, errand: Errand) -> list[Looked]:
        uncut = [portion for portion in errand.portions if portion.uncut]
        cuts = {}
        for portion, cut in zip(uncut, each(self.reader.cut, [one.file for one in uncut], self.threads), strict=True):
            cuts[portion.piece] = cut
            self.progress(len(cuts), len(uncut))
        pieces = [piece for portion in errand.portions for piece in cuts.get(portion.piece, [portion.piece])]
        return self._looked(errand, pieces)

    def _looked(self, errand: Errand, pieces: list[Piece]) -> list[Looked]:
        shelf = Shelf(self.keep)
        ask = replace(errand.ask, keep=self.keep > 0)
        bare = replace(ask, keep=False)

        def look(piece: Piece) -> Survey:
            return shelf.take(piece, self.reader.survey(piece, bare if shelf.full else ask))

        telling = Telling()
        for done, survey in enumerate(each(look, pieces, self.threads)):
            telling.add(pieces[done], survey)
            self.progress(done + 1, len(pieces))
        return [(piece, shelf.give(piece, survey)) for piece, survey in telling.all()]
