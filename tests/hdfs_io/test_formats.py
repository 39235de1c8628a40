"""What each format says of wrong text, and how a model's schema reads new data."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import CSR, DataError, Dataset, ReadOptions, Roles, load, read_arrow, scan

Put = Callable[[str, str | bytes], str]


def matrix(dataset: Dataset, threads: int = 1) -> list[list[float]]:
    X = load(dataset, 0, dataset.rows, threads=threads).X
    return (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("line", "column", "what"),
    [
        ("1 2:3 x", 7, "no index:value pair: '1 2:3 x'"),
        ("1 2:", 3, "no number after the colon"),
        ("1 2: 3:4", 3, "no number after the colon"),
        ("1 2:3:4", 3, "no number after the colon"),
        ("1 2:x", 5, "'x' is no number"),
        ("1 2:1_000", 5, "'1_000' is no number"),
        ("1 2:+-1", 5, "'+-1' is no number"),
        ("1 2:0x10", 5, "'0x10' is no number"),
        ("1,2 3:4", 1, "'1,2' is no number"),
        ("one 3:4", 1, "'one' is no number"),
        ("1 4:1 3:1", 7, "an index that isn't above the one before"),
        ("1 4:1.5 4:1.5", 9, "an index that isn't above the one before"),
        ("1 -4:1", 3, "no index:value pair"),
        ("1 99999999999:1", 3, "an index above 2147483647"),
        ("1 qid:x 1:1", 3, "no number after qid:"),
        ("1 2:3 " + "y" * 100, 7, "'1 2:3 " + "y" * 54 + "...'"),
    ],
)
@pytest.mark.parametrize("piece", [1 << 20, 16])
def test_wrong_libsvm_is_named(put: Put, line: str, column: int, what: str, piece: int) -> None:
    url = put("w.libsvm", f"# head\n1 1:1\n\n0 2:1\n{line}\n1 1:1\n")
    with pytest.raises(DataError) as error:
        scan(url, label="class", piece=piece)
    assert f"w.libsvm:5:{column}: " in str(error.value)
    assert what in str(error.value)


def test_libsvm_takes_what_is_right(put: Put) -> None:
    text = "+1 qid:7 1:1e3 2:.5#x\n-1.5e0 qid:8 2147483647:-7.\r\n2\n"
    dataset = scan(put("r.libsvm", text), label="number")
    X, y = load(dataset, 0, 3).X, load(dataset, 0, 3).y
    assert isinstance(X, CSR)
    assert X.width == 2**31 - 1
    assert (X.indices.tolist(), X.values.tolist()) == ([0, 1, 2**31 - 2], [1000.0, 0.5, -7.0])
    assert y is not None
    assert y.tolist() == [1, -1.5, 2]


def test_libsvm_without_labels_is_data_to_predict(put: Put, place: str) -> None:
    model = scan(put("train.libsvm", "1 1:1\n0 2:1\n"), label="class").schema
    bare = put("bare.libsvm", "1:2 2:3\n2:4\n")
    dataset = scan(bare, label="class", schema=model)
    assert not dataset.has_label
    assert load(dataset, 0, 2).y is None
    assert matrix(dataset) == [[2, 3], [0, 4]]
    with pytest.raises(DataError, match=r"bare\.libsvm: its rows have no label"):
        scan(bare, label="class")
    with pytest.raises(DataError, match=r"mixed\.libsvm:2: row has no label, others have"):
        scan(put("mixed.libsvm", "1 1:1\n1:2\n"), label="class")
    put("d/a", "1 1:1\n")
    put("d/b", "1:1\n")
    with pytest.raises(DataError, match="b: holds rows without label"):
        scan(f"{place}/d", label="class")


def test_seventeen_digits_are_exact(put: Put) -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=2000) * 10.0 ** rng.integers(-30, 30, 2000)
    text = "".join(f"{v!r} 1:{v!r}\n" for v in values.tolist())
    dataset = scan(put("d.libsvm", text), label="number")
    rows = load(dataset, 0, 2000)
    assert isinstance(rows.X, CSR)
    assert np.array_equal(rows.X.values, values.astype(np.float32))
    assert rows.y is not None
    assert np.array_equal(rows.y, values.astype(np.float32))


def test_a_row_longer_than_a_block(put: Put) -> None:
    text = "1 " + " ".join(f"{i}:1" for i in range(1, 3000)) + "\n0 1:2\n"
    assert [sum(row) for row in matrix(scan(put("l.libsvm", text), label="class", piece=100))] == [2999, 2]


@pytest.mark.parametrize("piece", [1 << 20, 8])
def test_wrong_csv_is_named(put: Put, piece: int) -> None:
    with pytest.raises(DataError, match=r"r\.csv:5: 3 columns where there should be 2: '5,6,7'"):
        scan(put("r.csv", 'a,y\n1,0\n\n2,1\n5,6,7\n"x\ny",1\n'), label="class", piece=piece)
    with pytest.raises(DataError, match=r"header has column 'a' twice"):
        scan(put("t.csv", "a,a\n1,2\n"), label=None)


def test_a_word_among_numbers_is_named(put: Put) -> None:
    text = "a,b,y\n" + '1,"x\nx",0\n' * 10 + "oops,z,1\n"
    with pytest.raises(DataError, match=r"w\.csv:22: column 'a' holds 'oops': 1 value of this column is no number"):
        scan(put("w.csv", text), label="class")
    words = scan(put("w.csv", text), ReadOptions(roles=Roles(label="y", features=("b",))), label="class")
    assert words.schema.features == ("b=x\nx", "b=z")


def test_columns_of_names_and_dates_are_left_out_and_told(put: Put) -> None:
    dataset = scan(put("w.csv", "a,town,day,y\n1,x,2026-01-02,0\n2,y,2026-01-03,1\n"), label="class")
    assert dataset.schema.features == ("a",)
    for name in ("town", "day"):
        why = "words, 2 different ones in 2 rows and so hardly kinds (--features takes them)"
        assert f"column {name!r} holds {why}: left out" in dataset.notes


def test_roles(put: Put) -> None:
    text = "key,a,w,b,y\nx1,1,0.5,2,3.5\nx2,3,1.5,4,4.5\n"
    dataset = scan(put("r.csv", text), ReadOptions(roles=Roles(label=-1, weight="w", id="key")), label="number")
    rows = load(dataset, 0, 2)
    assert matrix(dataset) == [[1, 2], [3, 4]]
    assert rows.y is not None
    assert rows.weight is not None
    assert rows.id is not None
    assert (rows.y.tolist(), rows.weight.tolist(), rows.id.tolist()) == ([3.5, 4.5], [0.5, 1.5], ["x1", "x2"])
    assert (dataset.schema.weight, dataset.schema.id) == ("w", "key")
    chosen = scan(put("r.csv", text), ReadOptions(roles=Roles(label="y", features=("b", "a"))), label="number")
    assert matrix(chosen) == [[2, 1], [4, 3]]
    ignored = scan(put("r.csv", text), ReadOptions(roles=Roles(label="y", id="key")), label=None)
    assert ignored.schema.features == ("a", "w", "b")
    assert load(ignored, 0, 2).y is None
    with pytest.raises(DataError, match=r"label column 'key' holds words, where numbers, .* are to be"):
        scan(put("r.csv", text), ReadOptions(roles=Roles(label="key")), label="number")


def test_a_model_reads_new_data_by_name(put: Put) -> None:
    model = scan(put("train.csv", "a,b,y\n1,2,no\n3,4,yes\n"), label="class").schema
    new = scan(
        put("new.csv", "key,b,a\n7,2,1\n8,4,3\n"), ReadOptions(roles=Roles(id="key")), label="class", schema=model
    )
    assert not new.has_label
    assert matrix(new) == [[1, 2], [3, 4]]
    extra = scan(put("extra.csv", "b,z,a,y\n2,9,1,yes\n"), label="class", schema=model)
    assert extra.notes == ("column 'z' is not used by the model",)
    assert matrix(extra) == [[1, 2]]
    for names, says in {
        "pq": "columns 'p' and 'q' are not used by the model",
        "pqr": "columns 'p', 'q' and 'r' are not used by the model",
        "pqrs": "columns 'p', 'q', 'r' and 1 other are not used by the model",
        "pqrst": "columns 'p', 'q', 'r' and 2 others are not used by the model",
    }.items():
        wide = put(f"{names}.csv", f"{','.join(names)},b,a\n{'7,' * len(names)}2,1\n")
        assert scan(wide, label="class", schema=model).notes == (says,)
    with pytest.raises(DataError, match=r"less\.csv: has no column 'b', which is a feature of the model"):
        scan(put("less.csv", "a,y\n1,no\n"), label="class", schema=model)
    with pytest.raises(DataError, match="is libsvm, but the model was made from dense data"):
        scan(put("s.libsvm", "1 1:1\n"), label="class", schema=model)


def test_a_model_reads_new_data_without_header_by_place(put: Put) -> None:
    model = scan(put("train.csv", "6,1,2\n5,3,4\n"), ReadOptions(roles=Roles(label=0)), label="class").schema
    assert model.features == ("c1", "c2")
    bare = scan(put("new.csv", "1,2\n3,4\n"), label="class", schema=model)
    assert not bare.has_label
    assert matrix(bare) == [[1, 2], [3, 4]]
    full = scan(put("test.csv", "5,1,2\n6,3,4\n"), label="class", schema=model)
    assert full.has_label
    assert matrix(full) == [[1, 2], [3, 4]]


def test_missing_features_by_policy(put: Put) -> None:
    url = put("m.csv", "a,b,y\n1,2,0\n?,4,1\n5,,0\n")
    with pytest.raises(DataError, match=r"m\.csv:3: column 'a': 1 feature value .*, and 1 in 1 other column \('b'\);"):
        scan(url, label="class")
    assert matrix(scan(url, ReadOptions(missing="zero"), label="class")) == [[1, 2], [0, 4], [5, 0]]
    assert np.isnan(matrix(scan(url, ReadOptions(missing="nan"), label="class"))[1][0])
    with pytest.raises(DataError, match="column 'big' holds '1e\\+300': 1 feature value is missing, nan or inf"):
        scan(put("big.csv", "big,y\n1,0\n1e300,1\n"), label="class")


def parquet(group: int = 1 << 20, **columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=group)
    return out.getvalue()


def test_parquet_types_become_one_matrix(place: str, put: Put) -> None:
    n = 40_000
    x = np.arange(n)
    put("d/0.parquet", parquet(7000, a=x, b=x % 2 == 0, c=x.astype(np.float32) / 8, y=pa.array(["u", "v"] * (n // 2))))
    put(
        "d/1.parquet",
        parquet(a=x / 2, b=x % 2, c=x.astype(np.int8), y=pa.array(["v", "u"] * (n // 2)).dictionary_encode()),
    )
    dataset = scan(f"{place}/d", label="class")
    want = np.concatenate(
        [np.column_stack([x, x % 2 == 0, x / 8]), np.column_stack([x / 2, x % 2, x.astype(np.int8)])]
    ).astype(np.float32)
    for threads in (1, 2):
        rows = load(dataset, 5, 2 * n - 5, threads=threads)
        assert isinstance(rows.X, np.ndarray)
        assert rows.X.flags.c_contiguous
        assert np.array_equal(rows.X, want[5:-5])
        assert rows.y is not None
        assert rows.y.tolist() == ([0, 1] * (n // 2) + [1, 0] * (n // 2))[5:-5]
    assert "column 'a' is int64 and double in different parts: read as double" in dataset.notes


def test_parquet_that_is_none(put: Put) -> None:
    with pytest.raises(DataError, match=r"x\.parquet: not a whole Parquet file"):
        scan(put("x.parquet", b"PAR1 half"), label="class")


def test_a_file_that_changed_is_refused(put: Put) -> None:
    for name, text in (("c.csv", "a,y\n1,0\n2,1\n"), ("c.libsvm", "1 1:1\n0 1:2\n")):
        dataset = scan(put(name, text), label="class")
        put(name, text[: text.index("\n", 5) + 1])
        with pytest.raises(DataError, match="has changed since it was scanned"):
            load(dataset, 0, 2)


def test_read_arrow_keeps_words_and_one_type(place: str, put: Put) -> None:
    put("d/0.csv", "t,a,y\nx,1,0\n")
    put("d/1.csv", "t,a,y\nz,1.5,1\n")
    dataset = scan(f"{place}/d", label="class")
    tables = list(read_arrow(dataset, 0, 2, ["t", "a"]))
    assert pa.concat_tables(tables).to_pydict() == {"t": ["x", "z"], "a": [1.0, 1.5]}
    with pytest.raises(DataError, match=r"0\.csv: has no column 'q'"):
        list(read_arrow(dataset, 0, 2, ["q"]))


def test_nothing_to_read_is_said(place: str, put: Put) -> None:
    put("d/a.csv", "")
    with pytest.raises(DataError, match="holds nothing"):
        scan(f"{place}/d", label="class")
    with pytest.raises(DataError, match="holds no rows"):
        scan(put("h.csv", "a,y\n"), label="class")
    with pytest.raises(DataError, match="libsvm rows have no column for weight"):
        scan(put("w.libsvm", "1 1:1\n"), ReadOptions(roles=Roles(weight="w")), label="class")
    with pytest.raises(DataError, match="format 'xls' is not known"):
        scan(put("w.xls", "1"), ReadOptions(format="xls"), label="class")
