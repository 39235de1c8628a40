"""Keys: each id once; a row's id is found among known ones whatever its type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hdfs_io import DataError, Keys
from hdfs_io.keys import keys_of


@pytest.mark.parametrize(
    "ids",
    [
        [3, 1, 3, 2],
        [10**15, -5, 10**15],  # too far apart to be listed
        [2**63 - 1, -(2**63), 0],
        ["b", "a", "b"],
        ["", "ü", "日本"],
        [],
    ],
)
def test_rows_have_their_ids(ids: list[Any]) -> None:
    keys = Keys.of(ids)
    assert keys.values[keys.codes].tolist() == ids
    assert keys.used().tolist() == sorted(set(ids))
    assert len(keys) == len(ids)


def test_parts_of_them() -> None:
    keys = Keys.of(["b", "a", "c", "b"])
    assert keys.slice(1, 3).used().tolist() == ["a", "c"]
    assert keys.take(np.array([3, 0])).used().tolist() == ["b"]


def test_places_among_known_ones() -> None:
    keys, known = Keys.of([5, 7, 5, 6]), np.array([5, 6, 9])
    assert keys.places(known).tolist() == [0, -1, 0, 1]
    assert keys.slice(2, 4).places(known).tolist() == [0, 1]
    assert keys.places(np.array([6, 7])).tolist() == [-1, 1, -1, 0]
    assert keys.places(np.empty(0, np.int64)).tolist() == [-1] * 4


def test_numbers_and_words_are_compared_as_words() -> None:
    assert Keys.of(["10", "9", "x"]).places(np.array([9, 10])).tolist() == [1, 0, -1]
    assert Keys.of([10, 9, 8]).places(np.array(["10", "9"])).tolist() == [0, 1, -1]


def test_pieces_of_other_types_are_one_column() -> None:
    pieces = [pa.chunked_array([pa.array([1, 2])]), pa.chunked_array([pa.array(["x", "2"])])]
    keys = keys_of(pieces, "string", "here")
    assert keys.values[keys.codes].tolist() == ["1", "2", "x", "2"]
    whole = keys_of([pa.chunked_array([pa.array([1.0, 2.0])])], "double", "here")
    assert whole.values[whole.codes].tolist() == [1, 2]
    assert len(keys_of([], "string", "here")) == 0


@pytest.mark.parametrize(
    "column", [[1.5, 2.0], [1.0, float("inf")], [True, False], [1, None], ["a", None], [1, "a"], [2**70]]
)
def test_what_is_no_id_is_refused(column: list[Any]) -> None:
    with pytest.raises(DataError, match=r"^here"):
        Keys.of(column, "here")


def test_dictionaries_of_arrow_are_words() -> None:
    keys = Keys.of(pa.array(["x", "y", "x"]).dictionary_encode())
    assert keys.values[keys.codes].tolist() == ["x", "y", "x"]
