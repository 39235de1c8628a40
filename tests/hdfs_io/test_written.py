"""Text stays what was written: labels, ids, carried and converted values, wherever files and pieces end."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from hdfs_io import Dataset, ReadOptions, Roles, convert, load, open_fs, read_arrow, remove, scan
from hdfs_io.labels import MISSING

Put = Callable[[str, str | bytes], str]

CODES = st.sampled_from(["00", "01", "007", "7", "0", "-7", "-0", "0x1F", "31", "+1", "1"])
WORDS = st.sampled_from(["a", "Maybe", "noon", "True", "true", "FALSE", "1e3x", "é"])
TIMES = st.sampled_from(["12:30", "12:30:00", "2020-02-03", "2020-02-03T10:00:00+02:00", "2020-02-03 10:00"])
LARGE = st.sampled_from([2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 10**19 + 1, 10**20 + 1, -(2**63)]).map(str)
FLOATS = st.sampled_from(["1.5", "-2.25", "1e3", "0.1", "0.5", "-0.0"])
GAPS = st.sampled_from(["", "NA", "?"])
CLASSES = [CODES, st.integers(-99, 99).map(str), WORDS, TIMES, st.sampled_from(["True", "False"])]
KINDS = [*CLASSES, LARGE, FLOATS]


@st.composite
def values(
    draw: st.DrawFn, rows: int | None = None, gaps: bool = True, kinds: Sequence[st.SearchStrategy[str]] = KINDS
) -> list[str]:
    """A column of one kind, or mostly so."""
    rows = draw(st.integers(1, 30)) if rows is None else rows
    usual, *rare = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=2))
    out = draw(st.lists(usual, min_size=rows, max_size=rows))
    for kind in [*rare, *([GAPS] if gaps and draw(st.booleans()) else [])]:
        for at in draw(st.lists(st.integers(0, rows - 1), max_size=2)):
            out[at] = draw(kind)
    return out


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[str]]:
    rows = draw(st.integers(1, 30))
    return {
        "id": draw(values(rows)),
        "x": draw(values(rows)),
        "y": draw(values(rows, gaps=False)),
        "feature": ["1"] * rows,
    }


def same(text: str, value: Any) -> bool:
    """Whether what was read says what was written: as text, or as the number that it is."""
    if value is None:
        return text in MISSING
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int):
        return text.strip() == str(value)
    if isinstance(value, float):
        return float(text) == value and not (re.fullmatch(r"-?\d+", text) and abs(value) >= 2**53)
    return bool(value == text)


def write(place: str, columns: dict[str, list[str]], cut: int) -> None:
    """Two files, the second from row `cut` on."""
    names, rows = list(columns), list(zip(*columns.values(), strict=True))
    fs, path = open_fs(place)
    for k, part in enumerate((rows[:cut], rows[cut:])):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([names, *part])
        fs.pipe_file(f"{path}/part-{k}.csv", out.getvalue().encode())


@given(tables(), st.integers(0, 30), st.sampled_from([8, 40, 1 << 20]), st.sampled_from([0, 1 << 30]))
@settings(max_examples=150, deadline=None)
def test_values_are_as_they_were_written(columns: dict[str, list[str]], cut: int, piece: int, keep: int) -> None:
    place = f"memory://{uuid4().hex}"
    try:
        write(place, columns, cut)
        options = ReadOptions(format="csv", sep=",", header=True, roles=Roles(id="id", features=("feature",)))
        dataset = scan(place, options, label=None, piece=piece, keep=keep)
        found = load(dataset, 0, dataset.rows).id
        assert found is not None
        pairs = zip(columns["id"], found.tolist(), strict=True)
        assert all(same(text, None if value != value else value) for text, value in pairs)
        dataset = dataset if keep else Dataset.from_json(dataset.to_json())
        for name in columns:
            read = [v for t in read_arrow(dataset, 0, dataset.rows, [name]) for v in t.column(name).to_pylist()]
            assert [(t, v) for t, v in zip(columns[name], read, strict=True) if not same(t, v)] == []
        convert(place, f"{place}-to.parquet", options, format="parquet")
        fs, path = open_fs(f"{place}-to.parquet")
        with fs.open(path) as file:
            table = pq.read_table(file)
        for name in columns:
            pairs = zip(columns[name], table.column(name).to_pylist(), strict=True)
            assert [(t, v) for t, v in pairs if not same(t, v)] == []
    finally:
        remove(place)
        remove(f"{place}-to.parquet")


@given(values(gaps=False, kinds=CLASSES), st.integers(0, 29), st.sampled_from([8, 40, 1 << 20]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_classes_are_as_they_were_written(labels: list[str], cut: int, piece: int, keep: bool) -> None:
    """However the data is cut; and a model finds its classes again in a part of it."""
    place, cut = f"memory://{uuid4().hex}", min(cut, len(labels) - 1)
    try:
        write(place, {"x": ["1"] * len(labels), "y": labels}, cut)
        options = ReadOptions(format="csv", sep=",", header=True, roles=Roles(label="y"))
        dataset = scan(place, options, label="class", piece=piece, keep=keep * (1 << 30))
        later = scan(f"{place}/part-1.csv", options, label="class", schema=dataset.schema, piece=piece)
        y, after = load(dataset, 0, dataset.rows).y, load(later, 0, later.rows).y
        label = dataset.schema.label
    finally:
        remove(place)
    assert label is not None
    assert label.classes is not None
    assert y is not None
    assert after is not None
    found = [label.classes[k] for k in y]
    wrong = [(t, c) for t, c in zip(labels, found, strict=True) if not (same(t, c) or same(t.removeprefix("+"), c))]
    assert wrong == []
    assert label.counts == tuple(np.bincount(y, minlength=len(label.classes)).tolist())
    assert after.tolist() == y[cut:].tolist()


def test_the_same_whatever_a_late_word_does(put: Put) -> None:
    codes = ["00", "01", "02"]
    url = put("codes.csv", "x,y\n" + "".join(f"{i % 9},{codes[i % 3]}\n" for i in range(3000)) + "1,AB\n")
    for piece in (1 << 10, 1 << 14, 1 << 25):
        label = scan(url, label="class", piece=piece).schema.label
        assert label is not None
        assert label.classes == ("00", "01", "02", "AB")
        assert label.counts == (1000, 1000, 1000, 1)


def test_ids_beyond_whole_numbers(put: Put) -> None:
    ids = [*map(str, range(2**63, 2**63 + 50)), "", "9007199254740993"]
    url = put("ids.csv", "id,x,y\n" + "".join(f"{k},1,{i % 2}\n" for i, k in enumerate(ids)))
    dataset = scan(url, ReadOptions(roles=Roles(id="id")), label="class", keep=1 << 30)
    rows = load(dataset, 0, dataset.rows)
    assert rows.id is not None
    assert rows.id.tolist() == ids
    assert "column 'id' holds numbers with more digits than a number holds: taken as text" in dataset.notes


def test_a_missing_id_leaves_the_others_whole_numbers(put: Put) -> None:
    url = put("ids.csv", "id,x,y\n9007199254740993,1,0\n,2,1\n")
    rows = load(scan(url, ReadOptions(roles=Roles(id="id")), label="class"), 0, 2)
    assert rows.id is not None
    assert rows.id.tolist() == [9007199254740993, None]


def test_users_with_a_late_name(put: Put) -> None:
    users = [f"{i:02d}" for i in range(50)]
    text = "user,item,rating\n" + "".join(f"{user},{i},3\n" for i, user in enumerate(users * 40)) + "U1,1,4\n"
    dataset = scan(put("r.csv", text), label="rating", piece=1 << 10)
    rows = load(dataset, 0, dataset.rows)
    assert rows.user is not None
    assert rows.item is not None
    assert rows.user.used().tolist() == [*users, "U1"]
    assert rows.item.used().dtype.kind == "i"


def test_numbers_among_which_a_model_knew_words(put: Put) -> None:
    options = ReadOptions(header=True, sep=",", format="csv")
    model = scan(put("train.csv", "t,y\n" + "12:30,a\n13:45,b\n007,a\n12:30,b\n" * 9), options, label="class").schema
    later = scan(put("test.csv", "t,y\n007,a\n007,b\n"), options, label="class", schema=model)
    assert np.asarray(load(later, 0, 2).X).tolist() == [[1, 0, 0], [1, 0, 0]]


def test_what_is_carried_of_features(put: Put, tmp_path: Path) -> None:
    url = put("f.csv", "x,y\n007,0\n8,1\n+9,0\n")
    dataset = scan(url, label="class")
    assert np.asarray(load(dataset, 0, 3).X).tolist() == [[7], [8], [9]]
    assert next(read_arrow(dataset, 0, 3)).column("x").to_pylist() == ["007", "8", "+9"]
    said: list[str] = []
    convert(url, str(tmp_path / "f.parquet"), say=said.append)
    assert pq.read_table(tmp_path / "f.parquet").column("x").to_pylist() == ["007", "8", "+9"]
    assert "column 'x' holds numbers with zeros before them and plus signs: written as text" in said
