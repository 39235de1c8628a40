"""The index of a data frame that pandas wrote is no feature and no label, unless somebody says so."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from hdfs_io import CSR, DataError, Dataset, ReadOptions, Roles, convert, describe, head, load, read_arrow, scan
from hdfs_io.errand import Errand, Looked, find, together
from hdfs_io.frames import index_columns
from hdfs_io.travel import pack, unpack

GUESSED = "label is column 'y': guessed, as none was said"
Put = Callable[[str, str | bytes], str]
N = 40
UNNAMED = "__index_level_0__"
NOTE = "column {!r} is pandas' index: left out; --features names it if it is wanted"


def frame(**columns: object) -> pd.DataFrame:
    """Rows whose index is 3, 5, 7, ...: no range, which is written as a column."""
    values = {"a": np.arange(N) * 0.5, "b": np.arange(N) % 7, "y": np.arange(N) % 2, **columns}
    return pd.DataFrame(values, index=[3 + 2 * i + (i > 1) for i in range(N)])


def file(data: pd.DataFrame, put: Put, kind: str) -> str:
    out = io.BytesIO()
    if kind == "parquet":
        data.to_parquet(out, engine="pyarrow", row_group_size=16)
    else:
        table = pa.Table.from_pandas(data)
        with pa.ipc.new_file(out, table.schema) if kind == "arrow" else pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, 16)
    return put(f"frame.{kind}", out.getvalue())


def matrix(dataset: Dataset) -> NDArray[Any]:
    X = load(dataset, 0, dataset.rows).X
    assert not isinstance(X, CSR)
    return X


def options(**roles: object) -> ReadOptions:
    return ReadOptions(roles=Roles(**roles))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_an_index_without_a_name_is_left_out(put: Put, kind: str) -> None:
    url = file(frame(), put, kind)
    assert head(url, n=1).column_names == ["a", "b", "y", UNNAMED]
    dataset = scan(url, label="class")
    assert dataset.schema.features == ("a", "b")
    assert dataset.schema.label is not None
    assert dataset.schema.label.name == "y"
    assert NOTE.format(UNNAMED) in dataset.notes
    assert np.array_equal(matrix(dataset), np.stack([np.arange(N) * 0.5, np.arange(N) % 7], axis=1))
    assert Dataset.from_json(json.loads(json.dumps(dataset.to_json()))) == dataset
    assert scan(url, options(label="y"), label=None).schema.features == ("a", "b")
    assert f"note: {NOTE.format(UNNAMED)}" in describe(url)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_the_label_is_guessed_among_the_frames_columns(put: Put, kind: str) -> None:
    url = file(frame().rename(columns={"y": "last"}), put, kind)
    dataset = scan(url, label="class")
    assert dataset.schema.features == ("a", "b")
    assert dataset.notes == (NOTE.format(UNNAMED), "label is column 'last': guessed, as none was said")


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_an_index_with_a_name_is_one_too(put: Put, kind: str) -> None:
    data = frame(town=["Rome", "Bonn"] * (N // 2), target=np.arange(N) % 4).set_index(["target", "town"])
    dataset = scan(file(data, put, kind), label="class")
    assert dataset.schema.features == ("a", "b")
    assert dataset.notes == (NOTE.format("target"), NOTE.format("town"), GUESSED)
    taken = scan(dataset.url, options(features=("b", "town"), label="target"), label="class")
    assert taken.schema.features == ("b", "town=Bonn", "town=Rome")
    assert taken.schema.label is not None
    assert (taken.schema.label.name, taken.schema.label.classes) == ("target", (0, 1, 2, 3))
    assert not any("index" in note for note in taken.notes)


def test_an_index_is_what_it_is_said_to_be(put: Put) -> None:
    url = file(frame(), put, "parquet")
    named = scan(url, options(id=UNNAMED), label="class")
    rows = load(named, 0, 3)
    assert rows.id is not None
    assert rows.id.tolist() == [3, 5, 8]
    assert not any("index" in note for note in named.notes)
    assert scan(url, options(features=("a", UNNAMED)), label="class").schema.features == ("a", UNNAMED)
    last = scan(url, options(label=-1), label="number")
    assert last.schema.features == ("a", "b", "y")
    assert last.notes == (f"label -1 is column {UNNAMED!r}, pandas' index",)


def test_gaps_in_an_index_are_no_missing_features(put: Put) -> None:
    data = frame().set_index(pd.Index([None if i == 5 else float(i) for i in range(N)]))
    for kind in ("parquet", "arrow"):
        url = file(data, put, kind)
        assert load(scan(url, label="class"), 0, N).X.shape == (N, 2)
        with pytest.raises(DataError, match="1 feature value is missing"):
            scan(url, options(features=("a", UNNAMED), label="y"), label="class")


def test_a_range_takes_no_column(put: Put) -> None:
    for kind in ("parquet", "arrow"):
        dataset = scan(file(frame().reset_index(drop=True), put, kind), label="class")
        assert dataset.schema.features == ("a", "b")
        assert dataset.notes == (GUESSED,)


def test_a_model_reads_frames_with_and_without_it(put: Put) -> None:
    model = scan(file(frame(), put, "parquet"), label="class").schema
    new = scan(file(frame(), put, "arrow"), label="class", schema=model)
    assert new.notes == (f"column {UNNAMED!r} is not used by the model",)
    assert np.array_equal(matrix(new), np.stack([np.arange(N) * 0.5, np.arange(N) % 7], axis=1))


def test_users_and_items_may_be_the_index_by_name_alone(put: Put) -> None:
    pairs = pd.DataFrame({"p": np.arange(N) % 5, "q": np.arange(N) % 8}, index=np.arange(N)[::-1])
    implicit = scan(file(pairs, put, "parquet"), label="rating")
    assert (implicit.schema.user, implicit.schema.item, implicit.schema.label) == ("p", "q", None)
    rated = pairs.assign(stars=1.5).set_axis(["user", "movie_id", "stars"], axis=1).set_index(["user", "movie_id"])
    found = scan(file(rated, put, "parquet"), label="rating")
    assert (found.schema.user, found.schema.item) == ("user", "movie_id")
    assert found.schema.label is not None
    assert found.schema.label.name == "stars"


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("new", ["parquet", "csv", "arrow", "libsvm"])
def test_converting_leaves_it_out(put: Put, kind: str, new: str) -> None:
    src, said = file(frame(), put, kind), list[str]()
    dst = f"{src}.{new}"
    assert convert(src, dst, say=said.append) == N
    assert NOTE.format(UNNAMED) in said
    again = scan(dst, label="class")
    assert again.schema.width == 2
    if new != "libsvm":
        assert head(dst, n=1).to_pylist() == [{"a": 0.0, "b": 0, "y": 0}]
    said.clear()
    convert(src, dst, options(id=UNNAMED), overwrite=True, say=said.append)
    assert NOTE.format(UNNAMED) not in said
    if new != "libsvm":
        tables = list(read_arrow(scan(dst, label=None), 0, N, [UNNAMED]))
        assert pa.concat_tables(tables).column(0).to_pylist()[:3] == [3, 5, 8]


def test_a_column_is_known_by_its_name_where_the_note_is_lost(put: Put) -> None:
    table = pa.Table.from_pandas(frame()).replace_schema_metadata(None)
    out = io.BytesIO()
    pq.write_table(table, out)
    assert scan(put("bare.parquet", out.getvalue()), label="class").schema.features == ("a", "b")
    csv = put("text.csv", f"a,{UNNAMED},y\n1,2,0\n2,3,1\n")  # where pandas writes none of that name
    assert scan(csv, label="class").schema.features == ("a", UNNAMED)


@pytest.mark.parametrize(
    "note", [b"", b"{", b"[]", b"3", b"\xff", b"{}", b'{"index_columns": 3}', b'{"index_columns": [{}]}']
)
def test_a_broken_note_says_nothing(note: bytes) -> None:
    assert index_columns(pa.schema([("a", pa.int64()), ("b", pa.int64())], {b"pandas": note})) == ()


def folder(put: Put, kind: str, *frames: pd.DataFrame) -> str:
    """The URL of a directory with a file of each."""
    for k, data in enumerate(frames):
        url = file(data, partial(_put_below, put, f"d/{k}"), kind)
    return url.rpartition("/")[0].rpartition("/")[0]


def _put_below(put: Put, where: str, name: str, data: str | bytes) -> str:
    return put(f"{where}/{name}", data)


def disagreed(dataset: Dataset, name: str, in_: int, not_in: int) -> str:
    urls = list(dict.fromkeys(piece.file for piece in dataset.pieces))
    return f"column {name!r} is pandas' index in {urls[in_]}, and not in {urls[not_in]}"


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("bad_rows", ["stop", "skip"])
def test_every_file_says_what_its_index_is(put: Put, kind: str, first: int, bad_rows: Literal["stop", "skip"]) -> None:
    noted = frame(key=[f"k{i}" for i in range(N)]).set_index("key")
    lost = noted.reset_index()[["a", "b", "y", "key"]]  # by hands that don't keep the note; its last column is no label
    url = folder(put, kind, *((lost, noted) if first else (noted, lost)))
    dataset = scan(url, ReadOptions(bad_rows=bad_rows), label="class")
    assert dataset.schema.features == ("a", "b")
    assert dataset.schema.label is not None
    assert dataset.schema.label.name == "y"
    assert {NOTE.format("key"), disagreed(dataset, "key", first, 1 - first)} < set(dataset.notes)
    assert len(matrix(dataset)) == 2 * N


def test_files_with_other_indices_lose_each(put: Put) -> None:
    one, two = frame(one=[None, *range(1, N)]).set_index("one"), frame(two=np.arange(N) ** 2).set_index("two")
    dataset = scan(folder(put, "parquet", one, two), label="class")
    assert dataset.schema.features == ("a", "b")
    remarks = [*map(NOTE.format, ("one", "two")), disagreed(dataset, "one", 0, 1), disagreed(dataset, "two", 1, 0)]
    assert {*remarks, GUESSED} == set(dataset.notes)
    assert scan(dataset.url, options(features=("a",), label="y"), label="class").schema.features == ("a",)


def test_an_index_by_another_name_is_seen_by_workers_too(put: Put) -> None:
    url = folder(put, "parquet", *(frame(**{name: np.arange(N) ** 2}).set_index(name) for name in ("one", "two")))

    def survey(errand: Errand) -> list[Looked]:
        parts = [find(errand, part, 1) for part in errand.shares(2)]
        return together(errand, [unpack(pack(part)) for part in parts])

    assert scan(url, label="class", surveyor=survey).to_json() == scan(url, label="class").to_json()
