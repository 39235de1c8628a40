"""Survey: what is asked of a piece of a data set, and what it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from hdfs_io.codes import Codes
from hdfs_io.options import Missing
from hdfs_io.schema import Value

Place = Callable[[int, str], str]
"""`file:line: what`, of the row with this number among those that follow each other in a file."""


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
