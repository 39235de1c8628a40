"""What is converted is there again when it is read, or refused by name: no row is lost, none is changed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hdfs_io import CSR, DataError, ReadOptions, Roles, convert, list_files, load, scan, write

FORMATS = ("parquet", "arrow", "csv", "tsv", "csv.gz")
CSV = ReadOptions(header=True, quote="double")


def read(url: str, tmp_path: Path) -> list[dict[str, Any]]:
    """All rows, by way of Arrow."""
    convert(url, str(tmp_path / "read.arrow"), CSV, overwrite=True)
    with ipc.open_file(str(tmp_path / "read.arrow")) as file:
        return file.read_all().to_pylist()  # type: ignore[no-any-return]


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As CSV can hold them: nan and an empty text are nothing."""
    return [{k: None if v == "" or v != v else v for k, v in row.items()} for row in rows]


NUMBERS = st.one_of(st.none(), st.integers(-9, 9), st.integers(-(2**63), 2**63 - 1))
FLOATS = st.one_of(st.none(), st.floats(width=64, allow_infinity=False))
TEXTS = st.one_of(
    st.none(), st.text(st.sampled_from('xyé",;\t\\\n '), max_size=5).map(lambda text: text and f"x{text}")
)
COLUMNS = st.one_of(
    st.lists(NUMBERS, min_size=6, max_size=6).map(lambda v: pa.array(v, pa.int64())),
    st.lists(FLOATS, min_size=6, max_size=6).map(lambda v: pa.array(v, pa.float64())),
    st.lists(TEXTS, min_size=6, max_size=6).map(lambda v: pa.array(v, pa.string())),
    st.lists(st.one_of(st.none(), st.booleans()), min_size=6, max_size=6).map(lambda v: pa.array(v, pa.bool_())),
)


@given(st.lists(COLUMNS, min_size=1, max_size=3), st.integers(1, 6), st.sampled_from(FORMATS), st.sampled_from(FORMATS))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_format_to_every_other(tmp_path: Path, columns: list[pa.Array], rows: int, old: str, new: str) -> None:
    table = pa.table({f"c{i}": column for i, column in enumerate(columns)}).slice(0, rows)
    write(first := str(tmp_path / "first.parquet"), table, overwrite=True)
    src, dst = str(tmp_path / f"old.{old}"), str(tmp_path / f"new.{new}")
    try:
        for url, target in ((first, src), (src, dst)):
            assert convert(url, target, CSV, overwrite=True) == rows
        found = read(dst, tmp_path)
    except DataError as error:
        assert "the quote here joins lines" in str(error)  # noqa: PT017 (rare: lines that look like rows)
        return
    if {old, new} <= {"parquet", "arrow"}:
        assert repr(found) == repr(table.to_pylist())
    assert plain(found) == plain(table.to_pylist())


@pytest.mark.parametrize("values", [[1, None, 3], ["a", None, "b", None], [True, None], [None, None, 1.5]])
def test_one_column_with_nothing_in_some_rows(values: list[Any], tmp_path: Path) -> None:
    write(str(tmp_path / "a.parquet"), {"x": values})
    convert(str(tmp_path / "a.parquet"), str(tmp_path / "a.csv"))
    assert plain(read(str(tmp_path / "a.csv"), tmp_path)) == [{"x": value} for value in values]


def dense(url: str, options: ReadOptions | None = None) -> tuple[Any, Any]:
    rows = load(dataset := scan(url, options, label="class"), 0, dataset.rows)
    return rows.X.to_scipy().toarray() if isinstance(rows.X, CSR) else rows.X, rows.y


@given(st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_to_libsvm(tmp_path: Path, data: st.DataObject) -> None:
    rows, wide = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 3))
    numbers = st.one_of(st.just(0.0), st.floats(-9, 9, width=16), st.just(math.nan))  # none that needs scaling
    x = data.draw(st.lists(numbers, min_size=rows, max_size=rows))
    vectors = data.draw(st.lists(st.lists(numbers, min_size=wide, max_size=wide), min_size=rows, max_size=rows))
    whole = data.draw(st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=rows, max_size=rows))
    table = pa.table({"y": [i % 2 for i in range(rows)], "x": x, "v": vectors, "n": pa.array(whole, pa.int64())})
    write(src := str(tmp_path / "a.parquet"), table, overwrite=True)
    convert(src, dst := str(tmp_path / "a.libsvm"), ReadOptions(roles=Roles(label="y")), overwrite=True)
    wanted, y = dense(src, ReadOptions(roles=Roles(label="y"), missing="nan"))
    found, z = dense(dst, ReadOptions(missing="nan"))
    assert np.array_equal(y, z)
    wide = found.shape[1]  # features that are 0 in every row at the end aren't in the file
    assert np.array_equal(wanted[:, :wide], found, equal_nan=True)
    assert not wanted[:, wide:].any()


def test_libsvm_holds_label_and_features_alone(tmp_path: Path) -> None:
    columns = {"key": [7, 8], "w": [0.5, 2.0], "a": [1, 2], "b": [True, False], "y": [True, False]}
    write(str(tmp_path / "a.parquet"), columns)
    said: list[str] = []
    roles = Roles(label="y", id="key", weight="w")
    convert(str(tmp_path / "a.parquet"), str(tmp_path / "a.libsvm"), ReadOptions(roles=roles), say=said.append)
    assert (tmp_path / "a.libsvm").read_text() == "1 1:1 2:1\n0 1:2\n"
    assert "left out, as libsvm holds a label and features alone: 'key', 'w'" in said
    roles = Roles(label="y", features=("b",))
    convert(str(tmp_path / "a.parquet"), str(tmp_path / "b.libsvm"), ReadOptions(roles=roles))
    assert (tmp_path / "b.libsvm").read_text() == "1 1:1\n0 \n"
    write(str(tmp_path / "n.parquet"), {"a": [1, 2], "y": [1, None]})
    with pytest.raises(DataError, match=r"n\.libsvm: a label is missing"):
        convert(str(tmp_path / "n.parquet"), str(tmp_path / "n.libsvm"))


def test_documents_without_words_are_rows_of_libsvm(tmp_path: Path) -> None:
    (tmp_path / "a.ldac").write_text("2 0:1 3:2\n0\n1 1:1\n")
    assert convert(str(tmp_path / "a.ldac"), str(tmp_path / "a.libsvm")) == 3
    assert scan(str(tmp_path / "a.libsvm"), label=None).rows == 3


def test_what_csv_cannot_hold(tmp_path: Path) -> None:
    for value, what in (
        ([b"\xff"], "CSV holds text, and column 'x' bytes; write Parquet or Arrow"),
        ([["a"]], "CSV can't hold the lists, maps or structs of column 'x'; write Parquet or Arrow"),
        ([[1.5]], "CSV can't hold the vectors of column 'x'; write Parquet, Arrow or libsvm"),
    ):
        write(str(tmp_path / "a.parquet"), {"x": value}, overwrite=True)
        with pytest.raises(DataError, match=what):
            convert(str(tmp_path / "a.parquet"), str(tmp_path / "a.csv"))
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize("lists", [[[1.0], [2.0, 3.0]], [[1.0], None], [[[1, 2]], [[3]]]])
def test_ragged_lists_are_converted(lists: list[Any], tmp_path: Path) -> None:
    write(str(tmp_path / "a.parquet"), {"v": lists, "y": [0, 1]})
    for target in ("b.parquet", "b.arrow"):
        convert(str(tmp_path / "a.parquet"), str(tmp_path / target))
    assert pq.read_table(str(tmp_path / "b.parquet")).column("v").to_pylist() == lists
    with pytest.raises(DataError, match="column 'v' holds"):
        convert(str(tmp_path / "a.parquet"), str(tmp_path / "b.libsvm"))


def test_what_was_guessed_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ham,go\nspam,win\n")
    said: list[str] = []
    convert(str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), say=said.append)
    assert said == [
        f"{tmp_path}/a.csv: read as csv, separator ',', no header",
        "all columns are words, so that who reads this may take its first line for a row: there say --header",
    ]


def test_names_of_parts_tell_their_compression(tmp_path: Path) -> None:
    write(str(tmp_path / "a.csv"), {"x": [1, 2], "y": [0, 1]})
    for kind, packed, name in (
        ("csv", "gz", "csv.gz"),
        ("libsvm", "zstd", "libsvm.zst"),
        ("parquet", "gzip", "parquet"),
    ):
        convert(str(tmp_path / "a.csv"), target := str(tmp_path / kind), format=kind, compression=packed)
        assert [file.url.rpartition("/")[2] for file in list_files(target)] == [f"part-00000.{name}"]
        assert scan(target, ReadOptions(roles=Roles(label=-1) if kind != "libsvm" else Roles()), label=None).rows == 2


@pytest.mark.parametrize(
    ("dst", "said", "why"),
    [
        ("b.json", {}, r"b\.json: its name says what can't be written; there are: parquet, csv, libsvm, arrow"),
        ("b.csv.xz", {}, "its name says what can't be written"),
        ("b.orc", {"format": "csv"}, "its name says what can't be written"),
        ("b.csv", {"format": "parquet"}, "its name says csv, where parquet is to be written"),
        ("b.csv", {"compression": "gzip"}, "its name doesn't say that it is compressed by gzip"),
        ("b.csv.zst", {"compression": "gzip"}, "its name says zstd, where it is to be gzip"),
        ("b.parquet.gz", {}, "its name says gzip; that is compressed inside"),
        ("b", {"format": "csv", "compression": "snappy"}, "/b: csv isn't compressed by snappy: gzip, bz2, zstd, lz4"),
    ],
)
def test_names_that_would_lie_are_refused(dst: str, said: dict[str, str], why: str, tmp_path: Path) -> None:
    write(str(tmp_path / "a.csv"), {"x": [1, 2]})
    with pytest.raises(DataError, match=why):
        convert(str(tmp_path / "a.csv"), str(tmp_path / dst), **said)  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_tabs_where_the_name_says_so(tmp_path: Path) -> None:
    write(str(tmp_path / "a.csv"), {"x": [1, 2], "t,u": ["a,b", "c\td"]})
    convert(str(tmp_path / "a.csv"), str(tmp_path / "a.tsv"))
    assert (tmp_path / "a.tsv").read_text() == 'x\tt,u\n1\t"a,b"\n2\t"c\td"\n'


def test_columns_that_are_no_table_are_refused_by_the_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for columns in ({"x": [1, 2], "y": [1]}, {"x": np.zeros((2, 2))}, {"x": [[1], [2]]}):
        with pytest.raises(DataError, match=r"a\.csv: can't be written"):
            write(str(tmp_path / "a.csv"), columns)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("skip", ["stop", "skip"])
def test_groups_of_ranking_are_kept(skip: Any, tmp_path: Path) -> None:
    text = "1 qid:3 1:0.5\n0 qid:3 2:1\n2 qid:400000000000000001 1:1\n"
    (tmp_path / "a.libsvm").write_text(text)
    said: list[str] = []
    for target in ("b.libsvm", "b.parquet", "b.arrow"):
        convert(str(tmp_path / "a.libsvm"), str(tmp_path / target), ReadOptions(bad_rows=skip), say=said.append)
        convert(
            str(tmp_path / target),
            str(tmp_path / f"{target}.libsvm"),
            ReadOptions(roles=Roles(features=("features",), label="label") if "libsvm" not in target else Roles()),
        )
        assert (tmp_path / f"{target}.libsvm").read_text() == text
    assert pq.read_table(str(tmp_path / "b.parquet")).column("qid").to_pylist() == [3, 3, 400000000000000001]
    assert [note.partition(":")[0] for note in said if "qid" in note] == ["column 'qid' holds groups of ranking"] * 2
    (tmp_path / "c.libsvm").write_text("1 1:1\n0 qid:7 1:1\n" * 2)
    convert(str(tmp_path / "c.libsvm"), str(tmp_path / "c2.libsvm"))
    assert (tmp_path / "c2.libsvm").read_text() == (tmp_path / "c.libsvm").read_text()
