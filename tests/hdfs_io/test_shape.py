"""How CSV is written is told from its first rows, or said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hdfs_io import ReadOptions, Roles, head, load, scan
from hdfs_io.guess import form_of
from hdfs_io.listing import DataFile

Put = Callable[[str, str | bytes], str]


def file(put: Put, name: str, text: str) -> DataFile:
    return DataFile(put(name, text), len(text))


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


def test_blank_separated_with_trailing_blanks(put: Put) -> None:
    url = put("zip.train", "6.0000 -1.0000 0.5 \r\n 5.0000\t 1.0000   0.25 \r\n")
    dataset = scan(url, ReadOptions(roles=Roles(label=0)), label="class")
    rows = load(dataset, 0, 2)
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes == (5, 6)
    assert isinstance(rows.X, type(rows.number))
    assert rows.X.tolist() == [[-1.0, 0.5], [1.0, 0.25]]


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


def test_separators_are_told_where_quotes_are_said_to_be_text(put: Put) -> None:
    text = 'a\tt\ty\n1.5\t"go on\t0\n2.5\twin\t1\n'
    options = form_of(file(put, "t.tsv", text), ReadOptions(quote="none"))
    assert (options.sep, options.header, options.quote) == ("\t", True, "none")
    assert head(put("t.tsv", text), ReadOptions(quote="none")).column("t").to_pylist() == ['"go on', "win"]


def test_a_models_columns_are_a_header_above_few_rows_of_words(put: Put) -> None:
    rows = "".join(f"{'red' if i % 3 else 'blue'},{'SM'[i % 2]},{'no' if i % 2 else 'yes'}\n" for i in range(30))
    schema = scan(put("t.csv", "colour,size,sold\n" + rows), label="class").schema
    for text in ("colour,size\nred,S\nblue,M\n", "size,colour\nS,red\nM,blue\n"):
        found = scan(put("p.csv", text), schema=schema, label="class")
        assert (found.rows, found.options.header) == (2, True)
        assert load(found, 0, 2).X.tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]  # type: ignore[union-attr]
    assert scan(put("p.csv", "red,S\nblue,M\n"), schema=schema, label="class").rows == 2
