"""Inputs that broke other tools, each with the right values."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import CSR, DataError, Dataset, ReadOptions, Roles, load, scan

Put = Callable[[str, str | bytes], str]
MARK = b"\xef\xbb\xbf"

hdfs = pytest.param("hdfs", marks=[pytest.mark.hadoop, pytest.mark.timeout(600)])
pytestmark = pytest.mark.parametrize("place", ["local", "memory", hdfs], indirect=True)


def matrix(dataset: Dataset, **how: Any) -> list[list[float]]:
    """All rows, dense."""
    X = load(dataset, 0, dataset.rows, **how).X
    return (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()  # type: ignore[no-any-return]


def labels(dataset: Dataset) -> list[Any]:
    """All labels in their original values."""
    y = load(dataset, 0, dataset.rows).y
    assert y is not None
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes is not None
    return [dataset.schema.label.classes[code] for code in y]


def parquet(**columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def test_base_split_one_index_base_for_all_files(place: str, put: Put) -> None:
    put("d/part-0", "1 0:2 4:1\n0 2:1 3:5\n")
    put("d/part-1", "0 1:3 4:1\n1 2:2 3:1\n")
    dataset = scan(f"{place}/d", label="class")
    assert (dataset.schema.base, dataset.schema.width) == (0, 5)
    assert matrix(dataset) == [[2, 0, 0, 0, 1], [0, 0, 1, 5, 0], [0, 3, 0, 0, 1], [0, 0, 2, 1, 0]]
    second = load(dataset, 2, 4).X
    assert isinstance(second, CSR)
    assert second.to_scipy().toarray().tolist() == [[0, 3, 0, 0, 1], [0, 0, 2, 1, 0]]


def test_narrow_test_width_comes_from_the_model(put: Put) -> None:
    train = scan(put("train.libsvm", "1 3:1\n-1 9:1\n"), label="class").schema
    short = scan(put("short.libsvm", "1 3:1\n-1 1:2 2:1\n"), label="class", schema=train)
    assert matrix(short) == [[0, 0, 1, 0, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0, 0, 0, 0]]
    wide = put("wide.libsvm", "1 3:1\n-1 2:1 12:1\n")
    with pytest.raises(DataError, match=r"wide\.libsvm:2: index 12:1: 1 index is unknown to the model"):
        scan(wide, label="class", schema=train)
    dropped = scan(wide, ReadOptions(unknown="drop"), label="class", schema=train)
    assert matrix(dropped)[1] == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert load(dropped, 0, 2).dropped == 1
    assert "1 value with an index that the model doesn't know: dropped" in dropped.notes


def test_index_below_the_models_base_is_unknown_too(put: Put) -> None:
    train = scan(put("train.libsvm", "1 1:1\n0 2:1\n"), label="class").schema
    with pytest.raises(DataError, match=r"zero\.libsvm:1: index 0:5"):
        scan(put("zero.libsvm", "1 0:5\n"), label="class", schema=train)


def test_spacing(put: Put) -> None:
    text = b"1 1:2  3:4 \r\n\r\n0\t2:.5\t3:1\n1 2: .5 # a remark\n   0 1:1   \n1 1:1 2:2"
    dataset = scan(put("spacing.libsvm", text), label="class")
    assert matrix(dataset) == [[2, 0, 4], [0, 0.5, 1], [0, 0.5, 0], [1, 0, 0], [1, 2, 0]]
    assert labels(dataset) == [1, 0, 1, 0, 1]


def test_bom_is_skipped_in_every_file(place: str, put: Put) -> None:
    put("d/part-0", MARK + b"1 1:1\n0 2:1\n")
    put("d/part-1", MARK + b"0 2:2\n1 1:3\n")
    dataset = scan(f"{place}/d", label="class")
    assert matrix(dataset) == [[1, 0], [0, 1], [0, 2], [3, 0]]
    table = scan(put("t.csv", MARK + b"a,label\n1,0\n2,1\n"), label="class")
    assert table.schema.features == ("a",)
    assert matrix(table) == [[1], [2]]


def test_nan_label_is_refused_with_count_and_place(place: str, put: Put) -> None:
    url = put("nan.libsvm", "1 1:1\n\nnan 2:1\n0 1:2\ninf 1:1\n")
    with pytest.raises(DataError, match=r"nan\.libsvm:3: label: 2 labels are missing, nan or inf"):
        scan(url, label="class")
    assert matrix(scan(url, label=None)) == [[1, 0], [0, 1], [2, 0], [1, 0]]
    with pytest.raises(DataError, match=r"y\.csv:3: label: 1 label is missing"):
        scan(put("y.csv", "a,y\n1,1\n2,\n3,0\n"), label="class")


def test_inf_value_by_policy(put: Put) -> None:
    url = put("inf.libsvm", "1 1:1\n0 2:inf\n1 1:nan\n")
    with pytest.raises(DataError, match=r"inf\.libsvm:2: value 2:inf: 2 feature values are missing"):
        scan(url, label="class")
    zero = scan(url, ReadOptions(missing="zero"), label="class")
    assert matrix(zero) == [[1, 0], [0, 0], [0, 0]]
    assert zero.notes == ("2 feature values missing, nan or inf: read as 0",)
    assert np.isnan(matrix(scan(url, ReadOptions(missing="nan"), label="class"))[2][0])


@pytest.mark.parametrize(
    ("a", "b", "classes"), [("-1", "+1", (-1, 1)), ("1", "2", (1, 2)), ("no", "yes", ("no", "yes"))]
)
def test_labels_keep_their_values(put: Put, a: str, b: str, classes: tuple[Any, ...]) -> None:
    url = put("l.csv", "y,a,b\n" + "".join(f"{b if i % 3 else a},{i % 7},{i % 5}\n" for i in range(300)))
    dataset = scan(url, label="class", piece=500)
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes == classes
    assert labels(dataset) == [classes[1 if i % 3 else 0] for i in range(300)]
    assert "label is column 'y': guessed, as none was said" in dataset.notes


def test_a_single_class_is_told_not_refused(put: Put) -> None:
    assert scan(put("s.csv", "y,a\n" + "1,2\n" * 50), label="class").schema.classes == 1


def test_a_label_the_model_does_not_know(put: Put) -> None:
    train = scan(put("train.csv", "y,a\nno,1\nyes,2\n"), label="class").schema
    why = r"test\.csv:3: label 'maybe' is not one of .* training data had none such \(no, yes\): 2 labels, the first"
    with pytest.raises(DataError, match=why):
        scan(put("test.csv", "y,a\nno,1\nmaybe,2\nyes,1\nnever,1\n"), label="class", schema=train)
    with pytest.raises(DataError, match=r"test\.parquet: row 1 of row group 0: label 'maybe' is not one"):
        scan(put("test.parquet", parquet(y=["no", "maybe"], a=[1, 2])), label="class", schema=train)
    sparse = scan(put("train.libsvm", "-1 1:1\n+1 2:1\n"), label="class").schema
    with pytest.raises(DataError, match=r"test\.libsvm:3: label 3 is not one of .* \(-1, 1\): 1 label;"):
        scan(put("test.libsvm", "-1 1:1\n\n3 2:1\n"), label="class", schema=sparse)


@pytest.mark.parametrize("piece", [1 << 20, 1000, 17])
def test_quoted_newline_at_any_split(put: Put, piece: int) -> None:
    options = ReadOptions(roles=Roles(features=("a",)))
    dataset = scan(put("q.csv", "a,b\n" + '7,"x\ny"\n' * 300), options, label=None, piece=piece)
    assert (dataset.rows, len(dataset.pieces)) == (300, {1 << 20: 1, 1000: 3, 17: 150}[piece])
    assert matrix(dataset) == [[7.0]] * 300


@pytest.mark.parametrize("piece", [1 << 20, 5000])
def test_late_float_makes_the_column_float_everywhere(put: Put, piece: int) -> None:
    text = "a,y\n" + "".join(f"{i % 90},{i % 2}\n" for i in range(20000)) + "1.5,1\n"
    dataset = scan(put("late.csv", text), label="class", piece=piece, keep=1 << 30)
    assert dict(dataset.types)["a"] == "double"
    for each in (dataset, dataset.forget()):
        assert [row[0] for row in matrix(each)] == [float(i % 90) for i in range(20000)] + [1.5]


def test_header_order_is_matched_by_name(place: str, put: Put) -> None:
    put("d/part-0.csv", "x,y,label\n" + "1,10,0\n2,20,1\n" * 50)
    put("d/part-1.csv", "y,label,x\n" + "10,0,1\n20,1,2\n" * 50)
    dataset = scan(f"{place}/d", label="class")
    assert dataset.schema.features == ("x", "y")
    assert matrix(dataset) == [[1, 10], [2, 20]] * 100
    assert labels(dataset) == [0, 1] * 100


def test_spark_dir(place: str, put: Put) -> None:
    for i in range(3):
        put(f"d/part-{i}.parquet", parquet(x=np.arange(100.0) + i, y=np.arange(100) % 2))
    put("d/_SUCCESS", b"")
    put("d/.part-0.crc", b"crc\0")
    put("d/part-1._COPYING_", b"PAR1 half")
    put("d/part-9.parquet", b"")
    dataset = scan(f"{place}/d", label="class")
    assert matrix(dataset) == [[k + i] for i in range(3) for k in range(100)]
    assert any("part-9.parquet: empty, skipped" in note for note in dataset.notes)


def test_null_part_widens_and_reports(place: str, put: Put) -> None:
    y = np.arange(50) % 2
    put("d/part-0.parquet", parquet(x=pa.nulls(50), y=y))
    put("d/part-1.parquet", parquet(x=np.arange(50.0), y=y))
    put("d/part-2.parquet", parquet(x=np.arange(50.0), y=y, z=np.arange(50.0)))
    with pytest.raises(DataError, match=r"part-0\.parquet: column 'x': 50 feature values are missing"):
        scan(f"{place}/d", label="class")
    dataset = scan(f"{place}/d", ReadOptions(missing="nan"), label="class")
    X = np.array(matrix(dataset))
    assert np.isnan(X[:50]).all()
    assert X[50:, 0].tolist() == [*range(50), *range(50)]
    assert any("column 'z' is not in every file" in note and "left out" in note for note in dataset.notes)
    assert "column 'x' is null and double in different parts: read as double" in dataset.notes


def test_two_gzip_members_are_one_file(put: Put) -> None:
    data = gzip.compress(b"1 1:1\n0 2:1\n") + gzip.compress(b"1 1:2\n0 2:3\n")
    assert matrix(scan(put("two.libsvm.gz", data), label="class")) == [[1, 0], [0, 1], [2, 0], [0, 3]]


@pytest.mark.parametrize(("suffix", "kind"), [("gz", "gzip"), ("zst", "zstd"), ("bz2", "bz2")])
def test_compressed_is_whole_or_refused(put: Put, suffix: str, kind: str) -> None:
    rng = np.random.default_rng(7)
    text = "".join(f"{i % 2} 1:{rng.normal():.4f} 2:{rng.normal():.4f}\n" for i in range(2000)).encode()
    data = bz2.compress(text) if kind == "bz2" else pa.Codec(kind).compress(text, asbytes=True)
    assert scan(put(f"all.libsvm.{suffix}", data), label="class", piece=4096).rows == 2000
    with pytest.raises(DataError, match=f"cut.libsvm.{suffix}: cut short or not {kind}"):
        scan(put(f"cut.libsvm.{suffix}", data[: len(data) // 2]), label="class")


def test_same_rows_in_any_number_of_files(place: str, put: Put) -> None:
    rng = np.random.default_rng(3)
    lines = [f"{i % 2} " + " ".join(f"{j}:{rng.normal():.3f}" for j in (2, 5, 9)) + "\n" for i in range(70)]
    read = []
    for parts in (1, 3, 7):
        for p in range(parts):
            put(f"{parts}/part-{p}", "".join(lines[p * 70 // parts : (p + 1) * 70 // parts]))
        dataset = scan(f"{place}/{parts}", label="class")
        rows = load(dataset, 0, 70)
        read.append((matrix(dataset), labels(dataset), rows.number.tolist()))
    assert read[0] == read[1] == read[2]
    assert read[0][2] == list(range(70))
