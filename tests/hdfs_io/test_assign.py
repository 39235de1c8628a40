"""Columns that are a model's by their places alone are said to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hdfs_io import Dataset, ReadOptions, Roles, load, scan

Put = Callable[[str, str | bytes], str]
BY_PLACE = "no header: columns are taken in the order of the model's: "
ROWS = "1.5,2.5\n3.5,4.5\n"


@pytest.fixture
def model(put: Put) -> Dataset:
    return scan(put("train.csv", "b,y,a\n1.5,0,2.5\n3.5,1,4.5\n"), label="class")


def values(dataset: Dataset) -> list[list[float]]:
    X = load(dataset, 0, dataset.rows).X
    assert isinstance(X, np.ndarray)
    return [list(map(float, row)) for row in X]


def notes(dataset: Dataset) -> list[str]:
    return [note for note in dataset.notes if note.startswith(BY_PLACE)]


def test_data_without_a_header_is_taken_in_the_models_order_which_is_said(put: Put, model: Dataset) -> None:
    new = scan(put("new.csv", ROWS), label="any", schema=model.schema)
    assert values(new) == [[1.5, 2.5], [3.5, 4.5]]  # b, a
    assert notes(new) == [BY_PLACE + "b, a"]
    assert f"  note: {BY_PLACE}b, a" in new.describe()
    said = scan(put("new.tsv", "1.5\t2.5\n"), ReadOptions(header=False), label="any", schema=model.schema)
    assert notes(said) == [BY_PLACE + "b, a"]


def test_of_many_columns_some_are_named(put: Put) -> None:
    names = [f"x{i}" for i in range(30)]
    row = ",".join(["1.5"] * 30)
    model = scan(put("train.csv", f"{','.join(names)},y\n{row},0\n{row},1\n"), label="class")
    new = scan(put("new.csv", row + "\n"), label="any", schema=model.schema)
    assert notes(new) == [BY_PLACE + ", ".join(names[:10]) + ", ..."]


def test_nothing_is_said_where_names_tell_or_there_never_were_any(put: Put, model: Dataset) -> None:
    named = scan(put("named.csv", "a,b\n" + ROWS), label="any", schema=model.schema)
    assert values(named) == [[2.5, 1.5], [4.5, 3.5]]
    assert notes(named) == []
    bare = scan(put("bare.csv", "1.5,2.5,0\n3.5,4.5,1\n"), ReadOptions(roles=Roles(label=2)), label="class")
    same = scan(put("same.csv", ROWS), label="any", schema=bare.schema)
    assert notes(same) == []
    first = scan(put("first.csv", "0,1.5,2.5\n1,3.5,4.5\n"), ReadOptions(roles=Roles(label=0)), label="class")
    assert notes(scan(put("new.csv", ROWS), label="any", schema=first.schema)) == [BY_PLACE + "c1, c2"]
    assert notes(first) == []
