"""Ratings: their columns are known by name, else by place; ids of any type are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, ReadOptions, Roles, load, scan
from hdfs_io.rated import rated


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["userId", "movieId", "rating", "timestamp"], ("userId", "movieId", "rating")),
        (["timestamp", "rating", "item_id", "user_id"], ("user_id", "item_id", "rating")),
        (["c0", "c1", "c2", "c3"], ("c0", "c1", "c2")),
        (["c0", "c1"], ("c0", "c1", None)),
        (["user", "item", "timestamp"], ("user", "item", None)),
        (["CustomerID", "StockCode", "ISBN"], ("CustomerID", "ISBN", None)),
    ],
)
def test_guessed(names: list[str], expected: tuple[str | None, ...]) -> None:
    roles, notes = rated(names, Roles())
    assert (roles.user, roles.item, roles.label) == expected
    assert roles.features == ()
    assert len(notes) == sum(name is not None for name in expected)


def test_said() -> None:
    roles, notes = rated(["a", "user", "b"], Roles(user="a", item="b", rating="user"))
    assert (roles.user, roles.item, roles.label, roles.rating) == ("a", "b", "user", None)
    assert notes == []


def test_rows_with_their_users_and_items(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("user,item,rating\n7,x,1\n9,y,2.5\n7,y,3\n")
    (tmp_path / "b.csv").write_text("user,item,rating\nu1,x,4\n")  # ids are words over all files
    found = scan(str(tmp_path / "*.csv"), label="rating")
    assert "4 ratings" in found.describe()[0]
    rows = load(found, 1, 4)
    assert rows.user is not None
    assert rows.item is not None
    assert rows.X.shape == (3, 0)
    assert rows.user.values[rows.user.codes].tolist() == ["9", "7", "u1"]
    assert rows.item.values[rows.item.codes].tolist() == ["y", "y", "x"]
    np.testing.assert_array_equal(rows.y, np.array([2.5, 3, 4], np.float32))
    some = rows.take(np.array([2])).user
    assert some is not None
    assert some.used().tolist() == ["u1"]


def test_large_numbers_of_parquet(tmp_path: Path) -> None:
    ids = [2**60 + 1, 2**60 + 2, 3]
    pq.write_table(pa.table({"user": ids, "item": [1, 2, 3], "rating": [1.0, 2.0, 3.0]}), tmp_path / "r.parquet")
    rows = load(scan(str(tmp_path / "r.parquet"), label="rating"), 0, 3)
    assert rows.user is not None
    assert rows.user.values[rows.user.codes].tolist() == ids


@pytest.mark.parametrize("text", ["user,item,rating\n1,x,1\n,y,2\n", "user,item,rating\n1,x,1\n2,,2\n"])
def test_a_missing_id_is_refused_or_its_row_left_out(tmp_path: Path, text: str) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text)
    found = scan(str(file), label="rating")
    with pytest.raises(DataError, match=r"r.csv.*is missing"):
        load(found, 0, 2)
    skipping = scan(str(file), ReadOptions(bad_rows="skip"), label="rating")
    assert skipping.rows == 1
    assert len(load(skipping, 0, 1)) == 1


def test_read_by_a_models_schema(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("user,item,rating\n1,x,1\n2,y,2\n")
    (tmp_path / "new.csv").write_text("item,user\ny,1\n")
    schema = scan(str(tmp_path / "train.csv"), label="rating").schema
    new = scan(str(tmp_path / "new.csv"), label="rating", schema=schema)
    assert not new.has_label
    assert load(new, 0, 1).user is not None
    assert type(schema).from_json(schema.to_json()) == schema
