"""Rows that can't be used are left out if the user says so: counted by kind, written to a file, never read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import CSR, DataError, Dataset, ReadOptions, Roles, load, read_arrow, read_text, scan, span

Put = Callable[[str, str | bytes], str]
CSV = (
    "id,a,b,y,w\n"
    "0,1,2,no,1\n"
    "1,1,2,3,no,1\n"  # a column too many
    "2,oops,2,yes,1\n"  # no number
    "\n"
    "3,1,,yes,1\n"  # missing
    "4,1,2,,1\n"  # no label
    '5,"1",2,yes,-1\n'  # a weight below 0
    "6,3,4,yes,1\n"
    "7\n"  # columns too few
    "8,5,6,no,2\n"
    "9,7,8,yes,3\n"
    "10,7,8,no,1\n"
    "11,7,8,no,1\n"
    "12,9,9,yes,1\n"
)
SPARSE = "1 1:1\n0 2:x\n1 3:\n2\nnan 1:1\n0 1:inf\n1 2:2 1:1\n# x\n0 4:17.123456789012345678\n1 5:x\n" + "1 1:2\n" * 4


def matrix(dataset: Dataset) -> list[list[float]]:
    parts = [load(dataset, *span(dataset.rows, k, 3)).X for k in range(3)]
    return [row for X in parts for row in (X.to_scipy().toarray() if isinstance(X, CSR) else X).tolist()]


def lines(url: str) -> list[int]:
    """The lines that the file of rejects names."""
    return [int(re.search(r"\.(?:csv|libsvm):(\d+):", reject["place"])[1]) for reject in rejects(url)]  # type: ignore[index]


def rejects(url: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_text(url).splitlines()]


@pytest.mark.parametrize("piece", [1 << 20, 30])
@pytest.mark.parametrize("keep", [False, True])
def test_csv(place: str, put: Put, piece: int, keep: bool) -> None:
    url, out = put("d/t.csv", CSV), f"{place}/out/rejects.jsonl"
    roles = Roles(label="y", weight="w", id="id", features=("a", "b"))
    options = ReadOptions(roles=roles, bad_rows="skip", rejects=out)
    dataset = scan(url, options, label="class", piece=piece, keep=keep)
    rows = load(dataset, 0, dataset.rows)
    assert rows.id is not None
    assert rows.id.tolist() == [0, 6, 8, 9, 10, 11, 12]
    assert rows.number.tolist() == list(range(7))
    assert matrix(dataset) == [[1, 2], [3, 4], [5, 6], [7, 8], [7, 8], [7, 8], [9, 9]]
    assert pa.concat_tables(read_arrow(dataset, 0, 99, ["id"])).column(0).to_pylist() == [0, 6, 8, 9, 10, 11, 12]
    again = Dataset.from_json(json.loads(json.dumps(dataset.to_json())))
    assert matrix(again) == matrix(dataset)
    assert sorted(lines(out)) == [3, 4, 6, 7, 8, 10]
    assert "1 row left out: label in column 'y'" in dataset.notes
    assert "2 rows left out: number of columns" in dataset.notes


@pytest.mark.parametrize("piece", [1 << 20, 8])
@pytest.mark.parametrize("keep", [False, True])
def test_libsvm(place: str, put: Put, piece: int, keep: bool) -> None:
    url, out = put("t.libsvm", SPARSE), f"{place}/rejects.jsonl"
    dataset = scan(url, ReadOptions(bad_rows="skip", rejects=out), label="class", piece=piece, keep=keep)
    assert sorted(lines(out)) == [2, 3, 5, 6, 7, 10]
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes == (0, 1, 2)
    assert (
        matrix(dataset)
        == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, np.float32(17.123456789012345678)]] + [[2, 0, 0, 0]] * 4
    )


def test_a_row_without_label_among_others(put: Put) -> None:
    dataset = scan(put("t.libsvm", "1 1:1\n1:4\n0 1:2\n"), ReadOptions(bad_rows="skip"), label="class")
    assert matrix(dataset) == [[1], [2]]


def test_a_word_among_numbers_is_the_same_wherever_pieces_end(put: Put) -> None:
    url = put("t.csv", "a,y\n" + "1,0\n2,1\n" * 30 + "oops,1\n" + "1,0\n2,1\n" * 30)
    for piece in (1 << 20, 40, 8):
        with pytest.raises(DataError, match=r"t\.csv:62: column 'a' holds 'oops': 1 value of this column is no"):
            scan(url, label="class", piece=piece)
        assert scan(url, ReadOptions(bad_rows="skip"), label="class", piece=piece).rows == 120


def test_parquet(put: Put) -> None:
    out = io.BytesIO()
    x = [1.0, None, float("nan"), 4.0, 5.0, 6.0]
    pq.write_table(pa.table({"x": x, "y": [0, 1, 0, 1, None, 0]}), out, row_group_size=2)
    dataset = scan(put("t.parquet", out.getvalue()), ReadOptions(bad_rows="skip"), label="class")
    assert matrix(dataset) == [[1], [4], [6]]
    assert {"2 rows left out: missing in column 'x'", "1 row left out: label in column 'y'"} <= set(dataset.notes)


def test_what_the_user_said_how_to_read_is_not_left_out(put: Put) -> None:
    url = put("t.csv", CSV)
    roles = Roles(label="y", features=("a", "b"))
    dataset = scan(url, ReadOptions(roles=roles, bad_rows="skip", missing="zero"), label="class")
    assert [1, 0] in matrix(dataset)


def test_unknown_labels_and_words_and_indices(put: Put) -> None:
    model = scan(put("t.csv", "t,y\n" + "u,0\nv,1\n" * 3), label="class").schema
    new = put("n.csv", "t,y\nu,0\nu,2\nw,1\nv,1\nv,0\n")
    dataset = scan(new, ReadOptions(bad_rows="skip"), label="class", schema=model)
    assert matrix(dataset) == [[1, 0], [0, 1], [0, 1]]
    sparse = scan(put("t.libsvm", "1 1:1\n0 2:1\n"), label="class").schema
    wide = put("n.libsvm", "1 1:1\n0 3:1\n2 1:1\n1 2:1\n")
    assert matrix(scan(wide, ReadOptions(bad_rows="skip"), label="class", schema=sparse)) == [[1, 0], [0, 1]]


def test_most_rows_bad_is_another_format(put: Put) -> None:
    url = put("t.csv", "a,y\n1,0\n" + "x,y,z\n" * 5)
    with pytest.raises(DataError, match="5 rows can't be used and 1 can"):
        scan(url, ReadOptions(header=True, bad_rows="skip"), label="class")


def test_no_rejects_make_an_empty_file(place: str, put: Put) -> None:
    out = f"{place}/none.jsonl"
    scan(put("t.csv", "a,y\n1,0\n2,1\n"), ReadOptions(bad_rows="skip", rejects=out), label="class")
    assert read_text(out) == ""


@pytest.mark.parametrize("piece", [1 << 20, 100])
def test_a_word_beside_what_is_no_number_either(place: str, put: Put, piece: int) -> None:
    """Each at its own line; an empty value is missing rather than a word."""
    rows = [f"{k},{k % 7},{'pq'[k % 2]}" for k in range(100)]
    rows[29], rows[59], rows[70], rows[75] = "abc,1,p", "inf,1,q", "1e40,1,q", ",1,p"
    url, out = put("b.csv", "a,b,y\n" + "\n".join(rows) + "\n"), f"{place}/out/r.jsonl"
    options = ReadOptions(roles=Roles(label="y"), bad_rows="skip", rejects=out)
    assert scan(url, options, label="class", piece=piece).rows == 96
    assert lines(out) == [31, 61, 72, 77]
    assert [one["kind"].split()[0] for one in rejects(out)] == ["spelled", "missing", "large", "missing"]
    mean = ReadOptions(roles=Roles(label="y"), bad_rows="skip", rejects=out, missing="mean")
    dataset = scan(url, mean, label="class", piece=piece)
    assert (dataset.rows, lines(out)) == (99, [31])
    numbers = [k for k in range(100) if k not in (29, 59, 70, 75)]
    X = np.array(matrix(dataset))[:, 0]
    assert X[[58, 69, 74]].tolist() == [pytest.approx(np.mean(numbers))] * 3
    assert np.delete(X, [58, 69, 74]).tolist() == numbers


@pytest.mark.parametrize("piece", [1 << 20, 50])
def test_what_is_left_out_is_the_same_wherever_pieces_end(put: Put, piece: int) -> None:
    """A truth value or a word among numbers, and a row that has no number."""
    rows = [f"{k},{k % 3},{'pq'[k % 2]}" for k in range(60)]
    rows[5], rows[20], rows[40] = "True,1,p", "6,NA,q", "noon,1,p"
    options = ReadOptions(format="csv", sep=",", header=True, roles=Roles(label="y"), bad_rows="skip")
    dataset = scan(put("w.csv", "a,b,y\n" + "\n".join(rows) + "\n"), options, label="class", piece=piece)
    assert matrix(dataset) == [[k, k % 3] for k in range(60) if k not in (5, 20, 40)]
    assert dict(dataset.left_out) == {"spelled in column 'a'": 2, "missing in column 'b'": 1}


@pytest.mark.parametrize("piece", [1 << 20, 8])
def test_truth_values_alone_are_numbers(put: Put, piece: int) -> None:
    rows = [f"{k},{['True', 'False'][k % 2]},{'pq'[k % 2]}" for k in range(60)]
    options = ReadOptions(format="csv", sep=",", header=True, roles=Roles(label="y"), bad_rows="skip")
    dataset = scan(put("t.csv", "a,b,y\n" + "\n".join(rows) + "\nx,True,p\n"), options, label="class", piece=piece)
    assert matrix(dataset) == [[k, 1 - k % 2] for k in range(60)]
