"""Labels, weights and chosen features that can't be used are refused by name and place, never by Python's words."""

from __future__ import annotations

import datetime
import gzip
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, ReadOptions, Roles, describe, head, load, read_arrow, scan

Put = Callable[[str, str | bytes], str]
WEIGHED = ReadOptions(roles=Roles(label="y", weight="w"))


def parquet(group: int = 1 << 20, **columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=group)
    return out.getvalue()


def refusal(url: str, options: ReadOptions | None = None, **how: Any) -> str:
    with pytest.raises(DataError) as error:
        scan(url, options, **{"label": "class", **how})
    return str(error.value)


# weights


@pytest.mark.parametrize("cell", ["nan", "inf", "", "-0.5", "1e300", "heavy"])
@pytest.mark.parametrize("piece", [1 << 20, 12])
def test_a_wrong_weight_is_refused_by_line(put: Put, cell: str, piece: int) -> None:
    url = put("w.csv", f"a,w,y\n1,1,0\n2,2,1\n3,{cell},0\n4,{cell},1\n")
    why = refusal(url, WEIGHED, piece=piece)
    assert "w.csv:4: weight" in why
    assert "2 weights are missing, nan, inf, negative or no number, the first here" in why
    assert why in describe(url, WEIGHED)


def test_a_wrong_weight_of_parquet_is_refused_by_row(put: Put) -> None:
    data: dict[str, Any] = {"a": np.arange(6), "y": np.arange(6) % 2}
    for name, weight in {
        "nan": np.array([1, 1, 1, 1, 1, np.nan]),
        "null": pa.array([1, 1, 1, 1, 1, None]),
        "negative": np.array([1, 1, 1, 1, 1, -1]),
        "words": pa.array(["1", "1", "1", "1", "1", "much"]),
    }.items():
        why = refusal(put(f"{name}.parquet", parquet(4, **data, w=weight)), WEIGHED)
        assert f"{name}.parquet: row 1 of row group 1: weight" in why
        assert "1 weight is missing" in why
    assert "6 weights" in refusal(put("b.parquet", parquet(**data, w=pa.array([b"1"] * 6))), WEIGHED)
    text = pa.array(["1.5"] * 6)
    assert "weight column 'w' holds words" in refusal(put("t.parquet", parquet(**data, w=text)), WEIGHED)


def test_weights_of_zero_are_fine_unless_all_are(put: Put) -> None:
    dataset = scan(put("some.csv", "a,w,y\n1,0,0\n2,0.5,1\n"), WEIGHED, label="class")
    weight = load(dataset, 0, 2).weight
    assert weight is not None
    assert weight.tolist() == [0, 0.5]
    zero = put("zero.csv", "a,w,y\n1,0,0\n2,0,1\n")
    assert "zero.csv: weight column 'w' is 0 in every row" in refusal(zero, WEIGHED)
    assert "weight column 'w' is 0 in every row" in refusal(zero, schema=dataset.schema)


def test_weights_are_looked_at_with_a_models_schema_too(put: Put) -> None:
    model = scan(put("train.csv", "a,w,y\n1,1,0\n2,1,1\n"), WEIGHED, label="class").schema
    assert "test.csv:3: weight: 1 weight is missing" in refusal(put("test.csv", "a,w,y\n1,1,0\n2,,1\n"), schema=model)


# labels


@pytest.mark.parametrize("cell", ["", '""', "  ", "nan", "NA", "null", "?"])
@pytest.mark.parametrize("piece", [1 << 20, 8])
def test_a_missing_word_is_no_class(put: Put, cell: str, piece: int) -> None:
    url = put("l.csv", f"a,y\n1,no\n2,yes\n3,{cell}\n4,no\n5,{cell}\n")
    why = refusal(url, piece=piece)
    assert "l.csv:4: label" in why
    assert "2 labels are missing, nan or inf, the first here" in why
    model = scan(put("train.csv", "a,y\n1,no\n2,yes\n"), label="class").schema
    assert "l.csv:4: label" in refusal(url, schema=model)
    assert "2 classes (no, yes)" in describe(url)


@pytest.mark.parametrize(
    "label", [["no", "yes", ""], ["no", "yes", None], [0.0, 1.0, np.nan], [0, 1, None], [True, False, None]]
)
def test_a_missing_label_of_parquet(put: Put, label: list[Any]) -> None:
    why = refusal(put("l.parquet", parquet(a=[1, 2, 3], y=pa.array(label))))
    assert "l.parquet: row 2 of row group 0: label" in why
    assert "1 label is missing, nan or inf" in why


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        (pa.array([b"no", b"yes"]), "binary"),
        (pa.array([datetime.date(2026, 1, 2), datetime.date(2026, 1, 3)]), "date32"),
        (pa.array([1, 2], pa.timestamp("s")), "timestamp"),
        (pa.array([{"v": 1}, {"v": 2}]), "struct"),
        (pa.array([[1], [2, 3]]), "list"),
    ],
)
def test_a_label_of_another_kind_is_refused(put: Put, label: pa.Array, kind: str) -> None:
    url = put("k.parquet", parquet(a=[1, 2], y=label))
    for how in ("class", "number"):
        assert f"k.parquet: row 0 of row group 0: label column 'y' holds {kind}" in refusal(url, label=how)


@pytest.mark.parametrize("large", [2**53, 2**53 + 1, 2**62 + 1, 2**63, 2**64 - 1, 2**64, -(2**53)])
@pytest.mark.parametrize("piece", [1 << 20, 8])
def test_numbers_that_doubles_do_not_tell_apart_are_no_classes(put: Put, large: int, piece: int) -> None:
    why = "numbers from 2^53 on aren't told apart"
    assert why in refusal(put("l.csv", f"a,y\n1,7\n1,0\n2,{large}\n3,{large - 1}\n"), piece=piece)
    assert why in refusal(put("l.libsvm", f"0 1:1\n{large} 1:1\n{large + 1} 1:1\n"), piece=piece)
    if -(2**63) <= large < 2**64:
        y = pa.array([0, large], pa.uint64() if large > 0 else pa.int64())
        assert why in refusal(put("l.parquet", parquet(a=[1, 2], y=y)))


def test_the_largest_numbers_that_are_told_apart(put: Put) -> None:
    top = 2**53 - 1
    for name, text in (("t.csv", f"a,y\n1,{top - 1}\n2,{top}\n"), ("t.libsvm", f"{top - 1} 1:1\n{top} 1:1\n")):
        dataset = scan(put(name, text), label="class")
        assert dataset.schema.label is not None
        assert dataset.schema.label.classes == (top - 1, top)
        y = load(dataset, 0, 2).y
        assert y is not None
        assert y.tolist() == [0, 1]


def test_labels_of_several_types_are_reconciled_once_all_are_seen(place: str, put: Put) -> None:
    put("d/0.parquet", parquet(a=[1, 2], y=[1.0, 2.0]))
    put("d/1.parquet", parquet(a=[1, 2], y=[2, 1]))
    put("d/2.parquet", parquet(a=[1, 2], y=["two", "1"]))
    dataset = scan(f"{place}/d", label="class")
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes == ("1", "2", "two")
    y = load(dataset, 0, 6).y
    assert y is not None
    assert y.tolist() == [0, 1, 1, 0, 2, 0]


def test_a_number_to_predict_fits_a_float32(put: Put) -> None:
    for url in (put("n.csv", "a,y\n1,1.5\n2,1e300\n"), put("n.libsvm", "1.5 1:1\n1e300 1:1\n")):
        assert "1 label is missing, nan or inf" in refusal(url, label="number")
        assert "label" in (why := refusal(url, label="any"))
        assert "holds 1e+300, and float32" in why
    model = scan(put("train.csv", "a,y\n1,1.5\n2,2.5\n"), label="number").schema
    words = put("words.csv", "a,y\n1,low\n2,high\n")
    assert "label column 'y' holds words, where numbers, such as" in refusal(words, label="number", schema=model)


# bytes


@pytest.mark.parametrize(("line", "column"), [(b"4,caf\xe9\n", "y"), (b"\xff,no\n", "a")])
@pytest.mark.parametrize("piece", [1 << 20, 8])
def test_bytes_that_are_no_utf8_are_named(put: Put, line: bytes, column: str, piece: int) -> None:
    url = put("u.csv", b"a,y\n1,no\n2,yes\n" + line + b"3,no\n" * 9)
    assert f"u.csv:4: column '{column}' holds bytes that are no UTF-8" in refusal(url, piece=piece)


def test_a_header_that_is_no_utf8(put: Put) -> None:
    assert "h.csv:1: the first row holds bytes that are no UTF-8" in refusal(put("h.csv", b"a\xe9,y\n1,0\n2,1\n"))
    assert "q.csv:2: the first row holds" in refusal(put("q.csv", b'"a\n\xe9",y\n1,0\n2,1\n'))


def test_a_broken_parquet_is_named_by_scan_or_load(put: Put) -> None:
    rng = np.random.default_rng(1)
    good = parquet(a=rng.normal(size=5000), y=np.arange(5000) % 2)
    refused = 0
    for at in range(4, len(good) - 2000, len(good) // 40):
        url = put("z.parquet", good[:at] + bytes(1000) + good[at + 1000 :])
        try:
            load(scan(url, label="class"), 0, 5000)
        except DataError as error:
            refused += "z.parquet: not a whole Parquet file" in str(error)
    assert refused


def test_words_of_parquet_that_are_no_utf8(put: Put) -> None:
    words = pa.Array.from_buffers(pa.string(), 2, pa.array([b"no", b"\xff\xfe"]).buffers())
    assert "b.parquet: not a whole Parquet file (" in refusal(put("b.parquet", parquet(a=[1, 2], y=words)))


def test_a_column_twice_in_parquet(put: Put) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table([[1, 2], [3, 4], [0, 1]], names=["a", "a", "y"]), out)
    url = put("t.parquet", out.getvalue())
    assert "t.parquet: its schema has column 'a' twice" in refusal(url)
    with pytest.raises(DataError, match="column 'a' twice"):
        head(url)


@pytest.mark.parametrize("name", ["e.csv.gz", "e.libsvm.gz", "e.gz"])
def test_a_compressed_file_without_text_is_empty(place: str, put: Put, name: str) -> None:
    url = put(name, gzip.compress(b""))
    assert f"{name}: holds nothing" in refusal(url)
    assert head(url).num_rows == 0
    put("d/part-0.csv.gz", gzip.compress(b""))
    put("d/part-1.csv.gz", gzip.compress(b"a,y\n1,0\n2,1\n"))
    assert scan(f"{place}/d", label="class").rows == 2


def test_blank_files_are_empty(put: Put) -> None:
    assert "holds nothing" in refusal(put("b.csv", b"\xef\xbb\xbf\n \n"))


def test_a_header_alone_holds_no_rows_for_a_model_either(put: Put) -> None:
    model = scan(put("train.csv", "a,y\n1,0\n2,1\n"), label="class").schema
    assert refusal(put("h.csv", "a,y\n"), schema=model).endswith("h.csv: holds no rows")


# chosen columns


def test_features_are_named_once_and_some(put: Put) -> None:
    url = put("f.csv", "x0,x1,y\n1,2,0\n3,4,1\n")
    for twice in (("x0", "x0"), ("x0", 0), (0, -3)):
        why = refusal(url, ReadOptions(roles=Roles(label="y", features=twice)))
        assert "f.csv: feature 'x0' is named twice" in why
    assert "the list of features is empty" in refusal(url, ReadOptions(roles=Roles(label="y", features=())))


def test_a_role_that_a_file_lacks_is_named_where_features_are_chosen(place: str, put: Put) -> None:
    put("d/0.csv", "a,w,y\n1,1,0\n")
    put("d/1.csv", "a,y\n1,1\n")
    options = ReadOptions(roles=Roles(label="y", weight="w", features=("a",)))
    assert "1.csv: has no column 'w', which other files" in refusal(f"{place}/d", options)


def test_a_nan_in_parquet_is_named_by_row_when_read(put: Put) -> None:
    a = np.arange(50_000.0)
    a[[41_000, 41_001]] = np.nan
    url = put("n.parquet", parquet(40_000, a=a, y=np.arange(50_000) % 2))
    dataset = scan(url, label="class")
    with pytest.raises(DataError, match=r"n\.parquet: row 1000 of row group 1: column 'a': 2 feature values are"):
        load(dataset, 0, 50_000)


def test_files_of_other_types_are_reconciled_or_refused(place: str, put: Put) -> None:
    put("d/0.parquet", parquet(a=[1, 2], c=pa.array([True, False]), y=[0, 1]))
    put("d/1.parquet", parquet(a=[1.5, 2.5], c=pa.array([2, 3]), y=[0, 1]))
    assert head(f"{place}/d").to_pydict() == {"a": [1, 2, 1.5, 2.5], "c": [1, 0, 2, 3], "y": [0, 1, 0, 1]}
    put("d/2.parquet", parquet(a=[1, 2], c=pa.array([{"v": 1}, {"v": 2}]), y=[0, 1]))
    dataset = scan(f"{place}/d", ReadOptions(roles=Roles(label="y", id="c")), label="class")
    why = r"column 'c' holds struct<v: int64> values that can't be read as string, which it is over all files"
    for read in (lambda: load(dataset, 0, 6), lambda: list(read_arrow(dataset, 0, 6)), lambda: head(f"{place}/d")):
        with pytest.raises(DataError, match=why):
            read()


def test_an_id_that_another_files_type_would_change_is_refused(place: str, put: Put) -> None:
    put("d/0.parquet", parquet(k=[2**60 + 1, 2], a=[1, 2], y=[0, 1]))
    put("d/1.parquet", parquet(k=[1.5, 2.5], a=[1, 2], y=[0, 1]))
    dataset = scan(f"{place}/d", ReadOptions(roles=Roles(label="y", id="k")), label="class")
    with pytest.raises(DataError, match="column 'k' holds int64 values that can't be read as double"):
        load(dataset, 0, 4)


def test_features_by_commas_and_with_commas_in_their_names(put: Put) -> None:
    url = put("t.csv", '"a,b",c,a,b,y\n1,2,3,4,0\n5,6,7,8,1\n')

    def chosen(*features: str | int) -> tuple[str, ...] | None:
        return scan(url, ReadOptions(roles=Roles(features=features)), label="class").schema.features

    assert chosen("a,b") == ("a,b",)
    assert chosen("a, c") == ("a", "c")
    assert chosen("0,c", 3) == ("a,b", "c", "b")
    assert chosen('"a,b",c') == ("a,b", "c")
    with pytest.raises(DataError, match="has no column 'd'"):
        chosen("a,d")


def test_a_rating_is_a_number(put: Put) -> None:
    roles = Roles(user="u", item="i", rating="r")
    good = scan(put("good.csv", "u,i,r\nann,7,0\nbob,9000000000,4.5\n"), ReadOptions(roles=roles), label=None)
    assert dict(good.types) == {"u": "string", "i": "int64", "r": "double"}
    with pytest.raises(DataError, match=r"words\.csv: column 'r' holds words: it can't be the rating"):
        scan(put("words.csv", "u,i,r\n1,7,good\n2,8,bad\n"), ReadOptions(roles=roles), label=None)
    with pytest.raises(DataError, match=r"gap\.csv:3: column 'r': 1 feature value is missing"):
        scan(put("gap.csv", "u,i,r\n1,7,1\n2,8,\n"), ReadOptions(roles=roles), label=None)
