"""What isn't said is guessed from the name and the first rows."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from hdfs_io import DataError, ReadOptions, Roles, describe, head, load, scan
from hdfs_io.guess import form_of, format_of, resolve, resolve_roles
from hdfs_io.listing import DataFile

Put = Callable[[str, str | bytes], str]


def file(put: Put, name: str, text: str) -> DataFile:
    return DataFile(put(name, text), len(text))


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        ("a9a", "-1 3:1 11:1 \n+1 5:1 7:1 \n", "libsvm"),
        ("a9a.t", "# made by hand\n1 qid:3 1:2. 2:nan # x\n2\n", "libsvm"),
        ("nolabel", "1:2 3:4\n2:1\n", "libsvm"),
        ("times", "12:30 5\n13:45 6\n", "csv"),
        ("adult.data", "39, State-gov, 77516\n50, Private, 83311\n", "csv"),
        ("x.svm", "1\n", "libsvm"),
        ("X.CSV", "1 1:2\n", "csv"),
        ("half", "PAR1....", "parquet"),
        (
            "docs.txt",
            "The cat sat on the mat.\nDogs bark, and don't care.\n\nWho's there? It's me; the third.\n",
            "text",
        ),
        ("one", "Only a single line of words\n", "text"),
        ("speech", "ALICE: hello there you\nBOB: hi to you too\n", "text"),
        ("words.csv", "The cat sat on the mat.\nDogs bark, and don't care.\n", "csv"),
        ("kinds", "red round small\nblue square large\n", "csv"),
        (
            "towns",
            "Ann Bell, New York City, x\nJo Ray, Los Angeles\nAl Fox, San Jose, y\nEd Lee, La Paz, z\nK L, M N, o\n",
            "csv",
        ),
        ("log", "2026-01-02 12:00:01 INFO all is well\n2026-01-02 12:00:02 WARN is it\n", "csv"),
    ],
)
def test_format(put: Put, name: str, text: str, want: str) -> None:
    assert format_of(file(put, name, text)) == want


@pytest.mark.parametrize(
    ("text", "sep", "header"),
    [
        ("a,b,c\n1,2,3\n4,5,6\n", ",", True),
        ("1\t2\t3\n4\t5\t6\n", "\t", False),
        ("a;b\n1,5;2\n3,5;4\n", ";", True),
        ("a|b\n1|x\n2|y\n", "|", True),
        ("6.0000 -1.0 0.5 \n5.0000  1.0 0.5 \n", " ", False),
        ("39, State-gov, 77516\n50, Private, 83311\n", ",", False),
        ("ham\tgo on, then\nspam\twin, win, win\n", "\t", False),
        ('name,"the, text"\nx,"1,2"\n', ",", False),
        (",a,b\n0,1,2\n", ",", True),
        ("x\n0\n1\n", ",", True),
        ("x,y\n", ",", True),
        ("1,5;2,5;3,5\n4;5,5;6,5\n", ";", False),
        ("1,5;2,5\n4,5;5,5\n", ";", False),
        ("1,2;a\n4,5;b\n", ";", False),
        ("1.5\x012.5\x01a\n2.5\x01\\N\x01b\n", "\x01", False),
        ("a:b\n1.5:2\n2.5:3\n", ":", True),
        ("1.5^2\n2.5^3\n", "^", False),
        ("a:b\n", ",", True),
        ("x\n12:30\n12:45\n", ",", False),
    ],
)
def test_separator_and_header(put: Put, text: str, sep: str, header: bool) -> None:
    options = form_of(file(put, "t.csv", text), ReadOptions())
    assert (options.sep, options.header) == (sep, header)


def test_a_said_name_makes_a_header(put: Put) -> None:
    words = file(put, "t.csv", "kind\ttext\nham\tgo\nspam\twin\n")
    assert not form_of(words, ReadOptions()).header
    assert form_of(words, ReadOptions(roles=Roles(text="text"))).header
    assert form_of(words, ReadOptions(), known=("text",)).header
    assert not form_of(words, ReadOptions(header=False, roles=Roles(text="text"))).header
    assert not form_of(file(put, "n.csv", "0,1\n1,2\n"), ReadOptions(roles=Roles(label="0"))).header


def test_a_long_first_line_is_seen_whole(put: Put) -> None:
    names = [f"gene_number_{i}" for i in range(20_000)]
    url = put("wide.csv", ",".join(["y", *names]) + "\n" + ",".join(["1.5"] * 20_001) + "\n")
    dataset = scan(url, label="number")
    assert (dataset.rows, dataset.schema.width) == (1, 20_000)


def test_columns_by_name_and_number() -> None:
    names = ["a", "b", "7"]
    assert [resolve(c, names, "t") for c in ("a", 1, -1, "1", "7")] == ["a", "b", "7", "b", "7"]
    with pytest.raises(DataError, match="t: has no column 'lable'; did you mean 'label'"):
        resolve("lable", ["label"], "t")
    with pytest.raises(DataError, match="has no column 3; they are numbered from 0 to 2"):
        resolve(3, names, "t")
    with pytest.raises(DataError, match="column 'a' can't be both label and weight"):
        resolve_roles(Roles(label=0, weight="a"), names, "t")
    with pytest.raises(DataError, match="column 'b' can't be both label and a feature"):
        resolve_roles(Roles(label="b", features=(0, 1)), names, "t")


def test_blank_separated_with_trailing_blanks(put: Put) -> None:
    url = put("zip.train", "6.0000 -1.0000 0.5 \r\n 5.0000\t 1.0000   0.25 \r\n")
    dataset = scan(url, ReadOptions(roles=Roles(label=0)), label="class")
    rows = load(dataset, 0, 2)
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes == (5, 6)
    assert isinstance(rows.X, type(rows.number))
    assert rows.X.tolist() == [[-1.0, 0.5], [1.0, 0.25]]


@pytest.mark.parametrize("name", ["ap.ldac", "docs"])
def test_bags_of_words_are_not_taken_for_labelled_rows(put: Put, name: str) -> None:
    text = "3 0:1 7:2 9:1\n1 4:1\n0\n"
    assert format_of(file(put, name, text)) == "ldac"
    with pytest.raises(DataError, match=f"{name}: its rows have no label, .*; .* --format libsvm"):
        scan(put(name, text), label="class")
    assert scan(put(name, text), ReadOptions(format="libsvm"), label="class").schema.classes == 3
    for rows in ("1 1:1\n1 2:1\n", "2 1:1 2:1\n1 1:1 2:1\n", "2 1:0.5 2:1\n1 2:1\n"):
        assert format_of(file(put, "rows", rows)) == "libsvm"


@pytest.mark.parametrize("name", ["a.bin", "a.csv", "a.libsvm", "a.tsv.gz"])
@pytest.mark.parametrize("data", [b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256)) * 9, bytes(range(1, 256)) * 9])
def test_binary_files_are_no_text(put: Put, name: str, data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    url = put(name, gzip.compress(data) if name.endswith("gz") else data)
    for look in (describe, head, lambda url: scan(url, label="class")):
        with pytest.raises(DataError, match=f"{name}: not text"):
            look(url)
    assert capfd.readouterr().err == ""


def test_a_short_row_in_latin_1(put: Put, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DataError, match=r"t\.csv:3: 1 column where there should be 2: 'K.ln'"):
        scan(put("t.csv", "a,y\n1,M\xfcnchen\nK\xf6ln\n".encode("latin-1")), label="class")
    assert capfd.readouterr().err == ""


def test_names_of_columns_of_words_are_told_from_words(put: Put) -> None:
    rows = ["red,S,yes", "blue,M,no", "red,L,no", "green,M,yes", "blue,S,no", "red,M,yes"]
    text = "".join(f"{row}\n" for row in rows)
    url = put("t.csv", "colour,size,sold\n" + text)
    dataset = scan(url, ReadOptions(roles=Roles(label=-1)), label="class")
    assert dataset.schema.label is not None
    assert (dataset.rows, dataset.schema.label.name, dataset.schema.label.classes) == (6, "sold", ("no", "yes"))
    for first in ("", "grey,XL,yes\n", "grey,S,perhaps\n", "grey,XL,XL\n", "Look at it!,XL,perhaps\n"):
        assert not form_of(file(put, "t.csv", first + text), ReadOptions()).header
    assert not form_of(
        file(put, "t.csv", "colour,size,sold\n" + "".join(f"{r}\n" for r in rows[:5])), ReadOptions()
    ).header
