"""Reader: what a file format must be able to do. A new format is one file that implements it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.codes import Codes, united
from hdfs_io.dataset import Dataset, Piece
from hdfs_io.kinds import NOTHING, Kinds, widen
from hdfs_io.labels import pooled
from hdfs_io.listing import DataFile
from hdfs_io.options import Missing, ReadOptions
from hdfs_io.schema import Value

PIECE = 32 << 20  # bytes of text that one thread reads at a time
MOST_WORDS, LONGEST = 100_000, 16 << 20  # different words of a column that are collected, and their bytes
FOLDED = 8  # surveys that wait until they are merged
Place = Callable[[int, str], str]
"""`file:line: what`, of the row with this number among those that follow each other in a file."""
NAMED = ("id", "user", "item")  # roles of columns that are carried as they are


@dataclass(frozen=True)
class Ask:
    """What a survey has to find out besides the number of rows."""

    label: str | None = None  # the label's column, if it matters
    distinct: bool = False  # collect the label's values
    classes: tuple[Value, ...] | None = None  # the label's values that are known
    weight: str | None = None  # the weights' column
    features: tuple[str, ...] | None = None  # columns whose values are judged; None: all without a role
    roles: frozenset[str] = frozenset()  # columns of another kind, as indices are: ratings are numbers as features are
    limit: tuple[int, int] | None = None  # libsvm: least and greatest index that the schema knows
    keep: bool = False  # hand over what was parsed
    dictionary: Literal["collect", "drop"] = "drop"  # the words of columns that hold words
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column -> the words that the schema knows
    numbers: frozenset[str] = frozenset()  # columns that are numbers over all, whatever a piece of them looks like
    text: frozenset[str] = frozenset()  # columns that are text over all
    means: bool = False  # sum up the features
    scales: Mapping[str, float] | None = None  # column -> what the schema multiplies it by; None: yet to be decided
    skip: bool = False  # leave out rows that can't be used
    keys: tuple[str, ...] = ()  # columns of users and items: rows without them can't be used
    missing: Missing = "stop"
    unknown: Literal["stop", "drop"] = "stop"

    @property
    def precision(self) -> type[np.floating[Any]]:
        """What holds a label: classes are told apart as doubles, numbers to predict are kept as float32."""
        return np.float64 if self.distinct or self.classes is not None else np.float32


@dataclass(frozen=True)
class Fault:
    """Values of one kind that can't be used as they are."""

    count: int
    place: str  # file:line of the first, and what is there


@dataclass(frozen=True)
class Reject:
    """A row that is left out."""

    kind: str  # what is wrong, in few words that many rows share
    place: str  # file:line, and what is there
    text: str  # the row


@dataclass(frozen=True)
class Vectors:
    """What a column of vectors holds."""

    width: int  # numbers of each
    sparse: bool  # some are stored sparse
    values: int  # numbers that aren't 0
    fault: str | None = None  # why they can't be features, with the place: one is missing, or of another width


@dataclass(frozen=True)
class Survey:
    """What one piece holds."""

    rows: int
    values: int = 0  # stored values of sparse rows
    columns: tuple[tuple[str, pa.DataType], ...] = ()
    distinct: tuple[pa.StructArray, ...] | None = None  # the label's values and their counts, an array a type
    labels: Fault | None = None  # labels that are missing, nan or inf
    strange: Fault | None = None  # labels that are none of the known classes
    weights: Fault | None = None  # weights that are missing, nan, inf, negative or no numbers
    heaviest: float = 0.0  # the greatest weight
    missing: Mapping[str, Fault] = field(default_factory=dict)  # feature -> its values that are missing, nan or inf
    large: Mapping[str, Fault] = field(default_factory=dict)  # feature -> its numbers that float32 doesn't hold
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # feature -> its least and greatest number
    spelled: Mapping[str, Fault] = field(default_factory=dict)  # column -> its values that aren't numbers
    least: int | None = None  # libsvm: least and greatest index
    greatest: int = -1
    beyond: Fault | None = None  # libsvm: indices that the schema doesn't know
    bare: int = 0  # libsvm: rows without a label
    kept: Any = None
    words: Mapping[str, pa.Array | None] = field(default_factory=dict)  # column of words -> each once; None: too many
    strangers: Mapping[str, Fault] = field(default_factory=dict)  # column -> its words that the schema doesn't know
    vectors: Mapping[str, Vectors] = field(default_factory=dict)
    sums: Mapping[str, tuple[float, int]] = field(default_factory=dict)  # feature -> sum and number of its values
    bad: tuple[int, ...] = ()  # rows, counted with these, that are left out
    rejects: tuple[Reject, ...] = ()  # these rows, and those that couldn't be told apart at all
    index: tuple[str, ...] = ()  # columns that are pandas' index, as the file notes
    codes: Codes = field(default_factory=dict)  # columns of numbers whose text says more

    @cached_property
    def types(self) -> dict[str, pa.DataType]:
        return dict(self.columns)


def merged(surveys: Sequence[Survey]) -> Survey:
    """What pieces that follow each other hold together; a column's type is the least that holds all of its values."""
    distinct = [survey.distinct for survey in surveys if survey.distinct is not None]
    return Survey(
        rows=sum(survey.rows for survey in surveys),
        values=sum(survey.values for survey in surveys),
        columns=tuple(types_over(surveys).items()),
        distinct=pooled(array for arrays in distinct for array in arrays) if distinct else None,
        labels=together([survey.labels for survey in surveys]),
        strange=together([survey.strange for survey in surveys]),
        weights=together([survey.weights for survey in surveys]),
        heaviest=max((survey.heaviest for survey in surveys), default=0.0),
        missing=by_column([survey.missing for survey in surveys]),
        large=by_column([survey.large for survey in surveys]),
        ranges=ranges([survey.ranges for survey in surveys]),
        spelled=by_column([survey.spelled for survey in surveys]),
        least=min((survey.least for survey in surveys if survey.least is not None), default=None),
        greatest=max((survey.greatest for survey in surveys), default=-1),
        beyond=together([survey.beyond for survey in surveys]),
        bare=sum(survey.bare for survey in surveys),
        words=dictionaries([survey.words for survey in surveys]),
        strangers=by_column([survey.strangers for survey in surveys]),
        vectors=vectors([survey.vectors for survey in surveys]),
        sums=totals([survey.sums for survey in surveys]),
        rejects=tuple(reject for survey in surveys for reject in survey.rejects),
        codes=united([survey.codes for survey in surveys]),
    )


def types_over(surveys: Sequence[Survey]) -> dict[str, pa.DataType]:
    """The least type that holds all of a column's values."""
    types: dict[str, pa.DataType] = {}
    for name, kind in (column for survey in surveys for column in survey.columns):
        types[name] = widen(types.get(name, pa.null()), kind)
    return types


def dictionaries(found: Sequence[Mapping[str, pa.Array | None]]) -> dict[str, pa.Array | None]:
    """Each column's words once, over all pieces; None where there are too many."""
    out: dict[str, pa.Array | None] = {}
    for name in dict.fromkeys(name for each in found for name in each):
        arrays = [each[name] for each in found if name in each]
        whole = None if any(array is None for array in arrays) else pc.unique(pa.chunked_array(arrays, pa.string()))
        out[name] = None if whole is None or len(whole) > MOST_WORDS or whole.nbytes > LONGEST else whole
    return out


def vectors(found: Sequence[Mapping[str, Vectors]]) -> dict[str, Vectors]:
    """Vectors over all pieces; what keeps any of them from being features keeps all."""
    out: dict[str, Vectors] = {}
    for name, more in ((name, more) for each in found for name, more in each.items()):
        was = out.get(name, Vectors(more.width, sparse=False, values=0))
        widths = {was.width, more.width} - {0}
        fault = (
            was.fault or more.fault or ("vectors of different widths; features need one" if len(widths) > 1 else None)
        )
        out[name] = Vectors(max(widths, default=0), was.sparse or more.sparse, was.values + more.values, fault)
    return out


def ranges(found: Sequence[Mapping[str, tuple[float, float]]]) -> dict[str, tuple[float, float]]:
    """Each column's least and greatest number over all pieces."""
    out: dict[str, tuple[float, float]] = {}
    for name, (low, high) in ((name, more) for each in found for name, more in each.items()):
        was = out.get(name, (low, high))
        out[name] = (min(was[0], low), max(was[1], high))
    return out


def totals(found: Sequence[Mapping[str, tuple[float, int]]]) -> dict[str, tuple[float, int]]:
    """Sums and numbers of values over all pieces."""
    out: dict[str, tuple[float, int]] = {}
    for name, (total, count) in ((name, more) for each in found for name, more in each.items()):
        was = out.get(name, (0.0, 0))
        out[name] = (was[0] + total, was[1] + count)
    return out


def together(faults: Sequence[Fault | None]) -> Fault | None:
    """All faults as one, with the place of the first."""
    real = [fault for fault in faults if fault is not None]
    return Fault(sum(fault.count for fault in real), real[0].place) if real else None


def by_column(faults: Sequence[Mapping[str, Fault]]) -> dict[str, Fault]:
    """The same for each column that has any."""
    names = dict.fromkeys(name for each in faults for name in each)
    found = {name: together([each.get(name) for each in faults]) for name in names}
    return {name: fault for name, fault in found.items() if fault is not None}


@dataclass(frozen=True, eq=False)
class Frame:
    """Arrays for a stretch of rows that follow each other."""

    X: NDArray[np.float32] | None  # dense rows
    y: NDArray[Any] | None
    weight: NDArray[np.float32] | None
    counts: NDArray[np.int64] | None = None  # sparse rows: values of each row
    indices: NDArray[np.int32] | None = None  # of all their values
    values: NDArray[np.float32] | None = None

    @classmethod
    def of(cls, dataset: Dataset, rows: int, values: int) -> Self:
        """New arrays for so many rows of a data set, with so many values if they are sparse."""
        schema, sparse = dataset.schema, dataset.schema.sparse
        return cls(
            X=None if sparse else np.empty((rows, schema.width), np.float32),
            y=np.empty(rows, np.int32 if schema.classes else np.float32) if dataset.has_label else None,
            weight=np.empty(rows, np.float32) if dataset.options.roles.weight is not None else None,
            counts=np.empty(rows, np.int64) if sparse else None,
            indices=np.empty(values, np.int32) if sparse else None,
            values=np.empty(values, np.float32) if sparse else None,
        )


class Room(ABC):
    """Where a piece's rows go, stretch after stretch: so they needn't all be in memory at once."""

    @abstractmethod
    def stretch(self, rows: int, values: int = 0) -> Frame:
        """Arrays for the next `rows` rows with, if sparse, `values` values: to be filled before the next are asked."""


@dataclass(frozen=True)
class Filled:
    """What `fill` did besides filling."""

    dropped: int = 0  # feature values beyond the schema
    named: Mapping[str, pa.ChunkedArray] = field(default_factory=dict)  # role of NAMED -> its column


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
