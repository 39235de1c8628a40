"""Columns of words become 0/1 features by one dictionary for the whole data set, kept with the model."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import CSR, DataError, Dataset, ReadOptions, Roles, Schema, describe, load, scan

Put = Callable[[str, str | bytes], str]


def matrix(dataset: Dataset) -> list[list[float]]:
    X = load(dataset, 0, dataset.rows).X
    return (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()  # type: ignore[no-any-return]


def parquet(**columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=3)
    return out.getvalue()


def towns() -> str:
    return "a,town,y\n" + "1,Rome,0\n2, Bonn,1\n3,?,0\n4,Rome ,1\n" * 4


@pytest.mark.parametrize("piece", [1 << 20, 20])
def test_a_feature_for_each_word(put: Put, piece: int) -> None:
    dataset = scan(put("t.csv", towns()), label="class", piece=piece)
    assert dataset.schema.features == ("a", "town=?", "town=Bonn", "town=Rome")
    assert matrix(dataset) == [[1, 0, 0, 1], [2, 0, 1, 0], [3, 1, 0, 0], [4, 0, 0, 1]] * 4
    assert "column 'town': a 0/1 feature for each of its 3 words, a missing one too" in dataset.notes
    again = Dataset.from_json(json.loads(json.dumps(dataset.to_json())))
    assert again == dataset
    assert matrix(again) == matrix(dataset)


def test_a_missing_word_is_none_of_them_if_missing_is_zero(put: Put) -> None:
    dataset = scan(put("t.csv", towns()), ReadOptions(missing="zero"), label="class")
    assert dataset.schema.features == ("a", "town=Bonn", "town=Rome")
    assert matrix(dataset)[2] == [3, 0, 0]
    new = scan(put("n.csv", "a,town\n1,\n"), label="class", schema=dataset.schema)
    assert matrix(new) == [[1, 0, 0]]


def test_words_that_the_model_does_not_know(put: Put) -> None:
    model = scan(put("t.csv", towns()), label="class").schema
    model = Schema.from_json(json.loads(json.dumps(model.to_json())))
    new = put("new.csv", "town,a\nBonn,1\nParis,2\nOslo,3\n")
    with pytest.raises(DataError, match=r"new\.csv:3: column 'town' holds 'Paris', .* 2 such words.*--unknown drop"):
        scan(new, label="class", schema=model)
    dropped = scan(new, ReadOptions(unknown="drop"), label="class", schema=model)
    assert matrix(dropped) == [[1, 0, 1, 0], [2, 0, 0, 0], [3, 0, 0, 0]]
    assert load(dropped, 0, 3).dropped == 2
    assert any("2 words of column 'town' unknown to the model: dropped" in note for note in dropped.notes)
    numbers = scan(put("numbers.csv", "town,a\n7,1\n"), ReadOptions(unknown="drop"), label="class", schema=model)
    assert matrix(numbers) == [[1, 0, 0, 0]]


def test_words_can_be_left_out_and_names_are(put: Put) -> None:
    assert scan(put("t.csv", towns()), ReadOptions(words="drop"), label="class").schema.features == ("a",)
    names = put("n.csv", "a,name,y\n" + "".join(f"{i},n{i},{i % 2}\n" for i in range(40)))
    dataset = scan(names, label="class")
    assert dataset.schema.features == ("a",)
    assert any("'name' holds words, 40 different ones in 40 rows" in note for note in dataset.notes)
    wanted = scan(names, ReadOptions(roles=Roles(label="y", features=("name",))), label="class")
    assert wanted.schema.width == 40


def test_a_column_that_is_words_here_and_numbers_there(place: str, put: Put) -> None:
    put("c/0.csv", "a,t,y\n" + "1,x,0\n" * 9)
    put("c/1.csv", "a,t,y\n" + "1,07,1\n" * 9)
    assert scan(f"{place}/c", label="class").schema.features == ("a", "t=07", "t=x")
    put("d/0.parquet", parquet(a=[1] * 9, t=["x"] * 9, y=[0] * 9))
    put("d/1.parquet", parquet(a=[1] * 9, t=[7] * 9, y=[1] * 9))
    dataset = scan(f"{place}/d", label="class")
    assert dataset.schema.features == ("a",)
    assert "column 't' holds words in some parts and numbers in others: left out" in dataset.notes
    with pytest.raises(DataError, match="words in some parts of the data and numbers in others"):
        scan(f"{place}/d", ReadOptions(roles=Roles(label="y", features=("t",))), label="class")


def test_parquet_words_plain_and_by_dictionary(place: str, put: Put) -> None:
    words = ["u", "v", None, "u"] * 3
    put("d/0.parquet", parquet(t=words, y=[0, 1] * 6))
    put("d/1.parquet", parquet(t=pa.array(words).dictionary_encode(), y=[0, 1] * 6))
    put("d/2.parquet", parquet(t=pa.nulls(12), y=[0, 1] * 6))
    dataset = scan(f"{place}/d", label="class")
    assert dataset.schema.features == ("t=?", "t=u", "t=v")
    assert matrix(dataset) == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]] * 6 + [[1, 0, 0]] * 12


def test_missing_numbers_are_read_as_the_mean_also_at_prediction(put: Put) -> None:
    text = "a,b,y\n1,10,0\n?,20,1\n3,,0\n"
    dataset = scan(put("m.csv", text), ReadOptions(missing="mean"), label="class")
    assert dataset.schema.means == (2.0, 15.0)
    assert matrix(dataset) == [[1, 10], [2, 20], [3, 15]]
    assert "2 feature values missing, nan or inf: read as their column's mean" in dataset.notes
    model = Schema.from_json(json.loads(json.dumps(dataset.schema.to_json())))
    assert matrix(scan(put("new.csv", "a,b\n,1\n"), label="class", schema=model)) == [[2, 1]]
    table = parquet(a=[1.0, None, 3.0, 8.0], y=[0, 1, 0, 1])
    assert matrix(scan(put("m.parquet", table), ReadOptions(missing="mean"), label="class")) == [[1], [4], [3], [8]]


def test_a_models_reading_of_missing_values_holds_for_new_data(put: Put) -> None:
    model = scan(put("m.csv", "a,b,y\n1,?,0\n2,2,1\n"), ReadOptions(missing="zero"), label="class").schema
    assert matrix(scan(put("new.csv", "a,b\n,1\n"), label="class", schema=model)) == [[0, 1]]
    assert np.isnan(
        matrix(scan(put("new.csv", "a,b\n,1\n"), ReadOptions(missing="nan"), label=None, schema=model))[0][0]
    )


def test_words_are_described(put: Put) -> None:
    assert "3 words" in describe(put("t.csv", towns()))


def test_sentences_are_no_words_to_be_taken(put: Put) -> None:
    rows = [("a b c d", "new york", i % 2) for i in range(30)]
    text = "".join(f"{line} {i},{name}{i},{y}\n" for i, (line, name, y) in enumerate(rows))
    dataset = scan(put("mail.csv", "mail,town,y\n" + text), label="class")
    assert "column 'mail' holds text, 30 different ones in 30 rows: left out" in dataset.notes
    hardly = "words, 30 different ones in 30 rows and so hardly kinds (--features takes them)"
    assert f"column 'town' holds {hardly}: left out" in dataset.notes
