"""A data set is described also where a run would refuse it."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hdfs_io import DataError, ReadOptions, Roles, describe, listing, look, plan, scan, write

Put = Callable[[str, str | bytes], str]


def test_classes_and_their_rows(put: Put) -> None:
    text = describe(put("t.csv", "a,b,c,y\n" + "1.5,2.5,3.5,no\n" * 3 + "4.5,1.5,2.5, yes\n"))
    assert "  label 'y': 2 classes (no, yes)\n" in text
    assert "  rows of each class: no (3), yes (1)\n" in text
    assert text.endswith("  3 columns 'a' to 'c': double\n  column 'y': string (label)")
    assert "  rows of each class: -1 (2), 1 (1)" in describe(put("t", "-1 1:1 2:1\n+1 2:1\n-1 1:1\n"))
    assert "odd: a single class, so a classifier refuses this" in describe(put("one", "1 1:1\n1 2:1\n"))


def test_missing_values_are_counted_by_column_and_the_refusal_is_repeated(put: Put) -> None:
    url = put("crime.txt", "a,b,c,d,y\n" + "?,1,,5,0\n?,1,3,5,1\n1,?,4,5,1\n")
    text = describe(url)
    assert "rows x 4 dense features" in text
    columns = [line.strip() for line in text.splitlines() if "column '" in line and "int64" in line]
    assert columns == [
        "column 'a': int64, 2 missing",
        "column 'b': int64, 1 missing",
        "column 'c': int64, 1 missing",
        "column 'd': int64",
        "column 'y': int64 (label)",
    ]
    with pytest.raises(
        DataError, match=r"crime\.txt:2: column 'a': 2 .*, and 2 in 2 other columns \('b', 'c'\)"
    ) as why:
        scan(url, label="class")
    assert text.endswith(f"  a run refuses this: {why.value}")
    assert "refuses" not in describe(url, ReadOptions(missing="zero"))


def test_columns_alike_are_one_line_also_where_all_lack_values(put: Put) -> None:
    names = ",".join(f"x{i}" for i in range(200))
    url = put("wide.csv", f"{names},y\n" + (",".join(["1.5"] * 200) + ",1\n") * 3 + "," * 200 + "0\n")
    assert "  200 columns 'x0' to 'x199': double, 1 missing each\n" in describe(url)
    with pytest.raises(DataError, match=r"199 in 199 other columns \('x1', 'x2', 'x3', 'x4', 'x5', \.\.\.\)"):
        scan(url, label="class")


def test_labels_and_words_that_a_run_refuses(put: Put) -> None:
    text = describe(put("t.csv", "a,b,y\n" + "1,2,0\n" * 9 + "x,3,\n"))
    assert "  rows of each class: 0 (9)" in text
    assert "t.csv:11: column 'a' holds 'x': 1 value of this column is no number" in text
    assert "t.csv:11: label: 1 label is missing" in text


def test_size_pieces_and_zeros(put: Put) -> None:
    text = describe(put("t.csv", "a,b,y\n" + "0,1,no\n2,3,yes\n" * 30))
    assert "  size 456 bytes stored, 1.92 KB as rows; 1 piece\n" in text
    assert "  25.00% of the numbers are 0 in the first 60 rows\n" in text
    packed = describe(put("t.libsvm.gz", gzip.compress(b"1 1:1 4:2\n0 2:1\n")))
    assert "; 1 piece; 1 compressed, each read by one thread\n" in packed
    assert "  3 values stored, 1.5 a row: 37.50% of all\n" in packed


def test_what_is_odd_is_told(put: Put) -> None:
    rows = "".join(f"{i},5,{i % 3 or ''},{'' if i % 3 else 1},{i % 2}e9,{i % 2}\n" for i in range(30))
    text = describe(put("t.csv", "key,same,some,rare,big,y\n" + rows))
    assert "  odd: 1 column is the same in every row: 'same'\n" in text
    assert "  odd: 1 column is missing in most rows: 'rare'\n" in text
    assert "  odd: 1 column is different in every row, as names or numbers of rows are: 'key'\n" in text
    large = describe(put("large.csv", "a,b,y\n" + "".join(f"{i % 5},90000000{i % 7}1,{i % 2}\n" for i in range(30))))
    assert large.endswith("  odd: 1 column is beyond 16,777,216, where float32 rounds whole numbers: 'b'")


def test_a_header_that_is_there_again_is_told_and_can_be_left_out(put: Put) -> None:
    url = put("cat.csv", "a,b,y\n1,2,0\n3,4,1\n" * 3)
    text = describe(url)
    again = "cat.csv:4: column 'a' holds 'a': 2 values of this column are no numbers, the first here; the header is"
    assert f"{again} there again (--bad-rows skip leaves it out)" in text
    assert "  odd: the header stands among the rows again (" in text
    fine = scan(url, ReadOptions(bad_rows="skip"), label="class")
    assert (fine.rows, fine.schema.features, fine.schema.classes) == (6, ("a", "b"), 2)


def test_documents_are_texts_and_the_flag_that_says_so_is_named(put: Put) -> None:
    url = put("docs", "The cat sat on the mat.\nDogs bark, and do not care.\nThe end.\n")
    note = "  note: its lines are taken for texts, a row each (--format text); a file is one: --format files\n"
    text = describe(url)
    assert "docs: 3 rows x 0 dense features in 1 file\n  read as text\n" in text
    assert note in text
    assert describe(url, ReadOptions(format="text")) == text.replace(note, "")
    assert "1 row x 0 dense features" in describe(url, ReadOptions(format="files"))
    with pytest.raises(DataError, match=r":2: 2 columns where .* 1: .*; --sep says .*, --format text that each line"):
        describe(url, ReadOptions(format="csv"))


def test_rows_that_never_have_labels(put: Put) -> None:
    text = describe(put("a.ldac", "2 0:1 3:2\n1 1:4\n"))
    assert "2 rows" in text
    assert "  note: its rows have no label, for apps that need none, such as lda and kmeans" in text
    assert "refuses" not in text


def test_files_are_listed_once(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    put("d/a.csv", "user,item,rating\n1,2,3.5\n")
    url = put("d/b.csv", "user,item,rating\n2,2,4.5\n").rpartition("/")[0]
    calls: list[str] = []

    def listed(url: str) -> listing.Listing:
        calls.append(url)
        return listing.list_all(url)

    monkeypatch.setattr(plan, "list_all", listed)
    monkeypatch.setattr(look, "list_files", lambda url: pytest.fail("listed again"))
    assert "2 ratings in 2 files" in describe(url)
    assert calls == [url]


@pytest.mark.parametrize(
    ("lists", "why"),
    [([[1.0], [2.0, 3.0]], "column 'v' holds 2 numbers"), ([[1.0], None], "column 'v' holds no vector")],
)
def test_vectors_that_cannot_be_features_are_told(place: str, lists: list[list[float] | None], why: str) -> None:
    url = f"{place}/v.parquet"
    write(url, {"y": [0, 1], "v": pa.array(lists, pa.list_(pa.float64())), "x": [1.5, 2.5]})
    text = describe(url, ReadOptions(roles=Roles(label="y")))
    assert "2 rows x 1 dense feature" in text
    assert why in text.partition("  a run refuses this: ")[2]
    with pytest.raises(DataError, match=why):
        scan(url, ReadOptions(roles=Roles(label="y")), label="class")
    with pytest.raises(DataError, match=why):
        scan(url, ReadOptions(roles=Roles(label="y", features=("v",))), label="class")
    assert scan(url, ReadOptions(roles=Roles(label="y", features=("x",))), label="class").schema.width == 1


def test_the_largest_whole_numbers(put: Put) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"u": pa.array([2**64 - 1, 0, 5, None], pa.uint64()), "y": [0, 1, 0, 1]}), out)
    told = describe(put("u.parquet", out.getvalue()), ReadOptions(roles=Roles(label="y"), missing="zero"))
    assert "25.00% of the numbers are 0" in told
    assert "column 'u': uint64" in told


def test_codes_are_odd_numbers(put: Put) -> None:
    told = describe(put("z.csv", "zip,x,y\n" + "".join(f"{k % 7:05d},{k % 3},{k % 2}\n" for k in range(40))))
    assert (
        "odd: 1 column is written as codes are (007, +1, or very many digits), and learned from as numbers: 'zip'"
        in told
    )
