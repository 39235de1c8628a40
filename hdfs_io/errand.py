"""Errand: what a scan wants to know of a data set's pieces, for threads of here or for processes anywhere to find out.

A scan lists and cuts (plan.py), has its errand done, and decides (settle.py). Whoever does it gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from typing import final

import numpy as np

from hdfs_io.dataset import Piece
from hdfs_io.errors import DataError
from hdfs_io.formats import reader_for
from hdfs_io.hands import each, hands
from hdfs_io.listing import DataFile
from hdfs_io.merge import FOLDED, merged
from hdfs_io.options import ReadOptions
from hdfs_io.reader import Reader
from hdfs_io.survey import Ask, Survey

APART = ("rows", "values", "columns", "bare", "sums", "bad", "index")  # what a survey says that is wanted of its piece


@dataclass(frozen=True)
class Portion:
    """A piece; or a file that whoever surveys it cuts into pieces, as that takes reading it."""

    piece: Piece
    size: int  # bytes, as they are stored
    uncut: bool = False

    @property
    def file(self) -> DataFile:
        """That is to be cut."""
        return DataFile(self.piece.file, self.size)


@final
@dataclass(frozen=True)
class Errand:
    """Portions in the rows' order, and the question."""

    options: ReadOptions  # resolved
    portions: tuple[Portion, ...]
    ask: Ask
    piece: int  # bytes of text that a thread reads at a time

    @property
    def size(self) -> int:
        """Bytes of all portions, as they are stored."""
        return sum(portion.size for portion in self.portions)

    @property
    def reads(self) -> int:
        """Bytes that are read to do it: none to speak of where Parquet's statistics tell what is asked."""
        told = self.options.format == "parquet" and not (self.ask.skip or self.ask.means)
        return 0 if told else self.size

    def again(self, pieces: Sequence[Piece], ask: Ask) -> Errand:
        """Another question about some of its pieces, those of files that were cut meanwhile too."""
        sizes = {portion.piece: portion.size for portion in self.portions}
        files = {portion.piece.file: portion.size for portion in self.portions if portion.uncut}

        def portion(piece: Piece) -> Portion:
            size = sizes.get(piece)
            return Portion(piece, min(piece.stop, files[piece.file]) - piece.start if size is None else size)

        return replace(self, portions=tuple(map(portion, pieces)), ask=ask)

    def shares(self, workers: int) -> list[range]:
        """The portions of each worker: in order, about equally many bytes."""
        sizes = np.maximum([portion.size for portion in self.portions], 1)  # no portion is nothing to do
        middles = np.cumsum(sizes) - sizes / 2
        ends = np.searchsorted(middles, sizes.sum() * np.arange(workers + 1) / workers).tolist()
        return [range(lo, hi) for lo, hi in pairwise(ends)]


Looked = tuple[Piece, Survey]
Surveyor = Callable[[Errand], Sequence[Looked] | None]
"""Does an errand: its pieces in order, with what each holds. None: somebody else had better do it."""


def nobody(_errand: Errand) -> None:
    """The surveyor that leaves everything to threads of here."""


@final
@dataclass(frozen=True)
class Findings:
    """What was found of portions that follow each other."""

    first: int  # the number of the first one
    looked: tuple[tuple[Looked, ...], ...]  # of each, in order
    fault: str = ""  # why the one after them can't be read


def find(errand: Errand, part: range, threads: int, heard: Callable[[int], None] = lambda _: None) -> Findings:
    """Do a part of an errand, up to the first fault. `heard` is told the rows of each piece."""
    reader = reader_for(errand.options, errand.piece)
    portions = errand.portions[part.start : part.stop]
    many = hands(portions[0].piece.file, sum(p.size for p in portions) / len(portions), threads) if portions else 1
    found: list[list[Looked]] = []
    fault = ""
    try:
        for looked in each(partial(_look, reader, errand.ask), _cut(reader, portions), many):
            if looked is None:
                found.append([])
            else:
                found[-1].append(looked)
                heard(looked[1].rows)
    except DataError as error:
        fault = str(error)
        found.pop()  # of a portion all is told, or nothing
    return Findings(part.start, tuple(map(tuple, found if errand.ask.numbers else _folded(found))), fault)


Cut = Piece | DataError | None  # None: a portion begins; DataError: it can't be cut any further


def _cut(reader: Reader, portions: Sequence[Portion]) -> Iterator[Cut]:
    """The pieces of all portions: while one file is cut, threads survey those before it."""
    for portion in portions:
        yield None
        try:
            yield from reader.cut(portion.file) if portion.uncut else (portion.piece,)
        except DataError as error:
            yield error  # once all before it is told


def _look(reader: Reader, ask: Ask, cut: Cut) -> Looked | None:
    if isinstance(cut, DataError):
        raise cut
    return None if cut is None else (cut, reader.survey(cut, ask))


def together(errand: Errand, found: Sequence[Findings]) -> list[Looked]:
    """All that was found, in order. DataError for the first fault by its place, whoever met it when."""
    looked: list[Looked] = []
    done = 0
    for part in sorted(found, key=lambda part: (part.first, len(part.looked))):  # of two, one may be of no portion
        if part.first != done:
            break
        looked += (one for portion in part.looked for one in portion)
        if part.fault:
            raise DataError(part.fault)
        done += len(part.looked)
    if done < len(errand.portions):
        raise DataError(f"{errand.portions[done].piece.file}: nobody has surveyed it; start again")
    return looked


def _folded(found: Sequence[Sequence[Looked]]) -> Iterator[Iterator[Looked]]:
    """What was found of portions that follow each other, with all that is only wanted of the whole said once, by the
    first of the pieces whose columns are alike: else many pieces of many columns would say very much.

    Others may be looked at again (scan.py), and then need not follow each other. What is summed up in floats stays, to
    be added in the same order by all.
    """
    telling = Telling()
    for looked in (looked for portion in found for looked in portion):
        telling.add(*looked)
    told = iter(telling.all())
    return (islice(told, len(portion)) for portion in found)


@final
class Telling:
    """What is found of pieces that follow each other, told once: while they are surveyed, so that it stays little."""

    def __init__(self) -> None:
        self._looked: list[Looked] = []
        self._first = 0  # of the pieces whose columns are alike
        self._whole: list[Survey] = []  # what these hold

    def add(self, piece: Piece, survey: Survey) -> None:
        if self._whole and self._looked[self._first][1].columns != survey.columns:
            self._close()
        self._looked.append((piece, _of_its_own(survey, Survey(0))))
        self._whole.append(survey)
        if len(self._whole) == FOLDED:
            self._whole = [merged(self._whole)]

    def all(self) -> list[Looked]:
        """Once all pieces are added."""
        self._close()
        return self._looked

    def _close(self) -> None:
        if self._whole:
            piece, own = self._looked[self._first]
            self._looked[self._first] = piece, _of_its_own(own, merged(self._whole))
        self._first, self._whole = len(self._looked), []


def _of_its_own(survey: Survey, rest: Survey) -> Survey:
    return replace(rest, **{name: getattr(survey, name) for name in APART})
