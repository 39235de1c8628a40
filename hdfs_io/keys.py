"""Keys: a column of ids, of users or items: each different one once, and which of them a row has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hdfs_io.errors import DataError
from hdfs_io.kinds import as_kind, kind_named, plain
from hdfs_io.labels import is_text

SPREAD = 4  # numbers for each row up to which those between the least and the greatest are listed, not looked up
WANTED = "ids are whole numbers or words: write those that are too large, or have a point, as words"


@final
@dataclass(frozen=True, eq=False)
class Keys:
    """Row r has the id `values[codes[r]]`. Some values may be no row's."""

    values: NDArray[Any]  # (m,) int64 or str, each once, in any order
    codes: NDArray[np.int32]  # (n,)
    _placed: dict[int, tuple[NDArray[Any], NDArray[np.int32]]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, column: Any, where: str = "ids") -> Self:
        """Out of an Arrow column, or whatever makes one. DataError, which begins `where`, for what can't be an id."""
        if not isinstance(column, pa.ChunkedArray):
            try:
                column = pa.chunked_array([column if isinstance(column, pa.Array) else pa.array(column)])
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
                raise DataError(f"{where}: {error}: {WANTED}") from error
        column = column.cast(plain(column.type))
        if column.null_count:
            raise DataError(f"{where}: {column.null_count:,} are missing; correct or remove such rows")
        return cls(*(_words(column) if is_text(column.type) else _numbers(column, where)))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Those of all rows of the parts, one after another; `parts` isn't empty."""
        full = [part for part in parts if len(part)] or [parts[0]]
        values, codes = np.unique(np.concatenate([part.values for part in full]), return_inverse=True)
        begins = np.cumsum([0, *(len(part.values) for part in full)])[:-1]
        at = [codes[begin + part.codes] for begin, part in zip(begins, full, strict=True)]
        return cls(values, np.concatenate(at).astype(np.int32))

    def take(self, rows: NDArray[Any]) -> Self:
        return type(self)(self.values, self.codes[rows], self._placed)

    def slice(self, lo: int, hi: int) -> Self:
        return type(self)(self.values, self.codes[lo:hi], self._placed)

    def used(self) -> NDArray[Any]:
        """The values that rows have, sorted."""
        return np.sort(self.values[np.bincount(self.codes, minlength=len(self.values)) > 0])

    def places(self, known: NDArray[Any]) -> NDArray[np.int32]:
        """For each row the place of its id among the sorted `known` ones; -1 where it isn't there.

        What a value's place is, is found once for all slices. Ids of another type are compared as words.
        """
        entry = self._placed.get(id(known))
        if entry is None or entry[0] is not known:
            entry = self._placed[id(known)] = (known, _places(self.values, known))
        return entry[1][self.codes]


def keys_of(columns: Sequence[pa.ChunkedArray], kind: str, where: str) -> Keys:
    """One column out of those of pieces that follow each other; `kind`: its type over the whole data set."""
    whole = kind_named(kind)
    if whole is not None:
        columns = [as_kind(column, whole, where) for column in columns]
    chunks = [chunk for column in columns for chunk in column.chunks]
    if not chunks:
        return Keys(np.empty(0, np.int64), np.empty(0, np.int32))
    return Keys.of(pa.chunked_array(chunks), where)


def no_whole(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Which of these numbers, none of them missing, can't be ids."""
    if pa.types.is_floating(column.type):
        x = column.to_numpy()
        return np.asarray((np.trunc(x) != x) | ~(abs(x) < 2**53))
    if column.type == pa.uint64():
        return np.asarray(column.to_numpy() > np.iinfo(np.int64).max)
    return np.zeros(len(column), np.bool_)


def _words(column: pa.ChunkedArray) -> tuple[NDArray[Any], NDArray[np.int32]]:
    whole = pc.dictionary_encode(column).unify_dictionaries().combine_chunks()
    coded = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    words = coded.dictionary.to_pylist()
    return np.array(words, np.str_) if words else np.empty(0, np.str_), coded.indices.to_numpy()


def _numbers(column: pa.ChunkedArray, where: str) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
        raise DataError(f"{where}: {WANTED}, not {kind}")
    x = column.to_numpy()
    if (bad := no_whole(column)).any():
        raise DataError(f"{where} holds {x[np.argmax(bad)]}: {WANTED}")
    if not len(x):
        return np.empty(0, np.int64), np.empty(0, np.int32)
    low, high = int(x.min()), int(x.max())
    if high - low <= SPREAD * len(x):
        return np.arange(high - low + 1) + low, (x - x.dtype.type(low)).astype(np.int32)
    coded = pc.dictionary_encode(pa.array(x.astype(np.int64, copy=False)))
    return np.asarray(coded.dictionary), coded.indices.to_numpy()


def _places(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.int32]:
    if (values.dtype.kind == "U") != (known.dtype.kind == "U"):
        values, words = values.astype(np.str_), known.astype(np.str_)
        order = np.argsort(words)
        at = _places(values, words[order])
        return np.where(at < 0, at, order[at].astype(np.int32)) if len(order) else at
    if not len(known):
        return np.full(len(values), -1, np.int32)
    at = np.searchsorted(known, values).clip(max=len(known) - 1).astype(np.int32)
    return np.where(known[at] == values, at, np.int32(-1))
