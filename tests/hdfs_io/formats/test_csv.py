"""Quotes: CSV's, or characters like others; a stray one joins no rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdfs_io import DataError, ReadOptions, Roles, load, read_arrow, scan
from hdfs_io.kernels.records import doubt

Put = Callable[[str, str | bytes], str]
SPAM = Path(__file__).resolve().parents[3].parent / "shared/data/sms_spam/SMSSpamCollection"
STRAY = 'ham\tgo on\nham\t"Getting tickets\nspam\twin, win\nham\t"hi" he said\nham\tok"\n'


def test_quotes_that_close_amid_a_field_are_characters(put: Put) -> None:
    dataset = scan(put("s.tsv", STRAY * 5), ReadOptions(roles=Roles(label=0, text=1)), label="class")
    assert (dataset.rows, dataset.options.quote) == (25, "none")
    text = [value for table in read_arrow(dataset, 0, 5, ["c1"]) for value in table.column(0).to_pylist()]
    assert text == ["go on", '"Getting tickets', "win, win", '"hi" he said', 'ok"']


@pytest.mark.parametrize("piece", [1 << 20, 40])
def test_a_stray_quote_far_down_is_refused_by_name(put: Put, piece: int) -> None:
    text = "ham\tgo on\n" * 9000 + 'ham\t"tickets\nspam\twin\n' + "ham\tok\n" * 9 + 'ham\t" x\n' + "ham\tok\n" * 9
    url = put("s.tsv", text)
    with pytest.raises(DataError, match=r"s\.tsv:9001: the quote here joins lines .* --quote none"):
        scan(url, ReadOptions(roles=Roles(label=0)), label="class", piece=piece)
    assert scan(url, ReadOptions(quote="none", roles=Roles(label=0)), label="class", piece=piece).rows == 9021


def test_a_quote_that_never_closes_is_refused(put: Put) -> None:
    with pytest.raises(DataError, match=r"s\.csv:3: the quote here joins lines"):
        scan(put("s.csv", 'a,y\n1,0\n2,"1\n3,0\n'), label="class")


@pytest.mark.parametrize("text", ['ham\t"go ]', '\r\nham\t"go ]', "\n\n\t" + '"'])
def test_a_first_row_that_never_ends_is_refused_after_blank_lines_too(put: Put, text: str) -> None:
    for header in (True, False):
        with pytest.raises(DataError, match=r"s\.tsv: its first row has no end"):
            scan(put("s.tsv", text), ReadOptions(header=header, quote="double"), label="any")


def test_quoted_line_ends_separators_and_quotes_are_read(put: Put) -> None:
    url = put("q.csv", 'a,t,y\n1,"x\ny",0\n2,"a, ""b""",1\n3,"",0\n4,"p\n\nq,\n",1\n')
    dataset = scan(url, ReadOptions(roles=Roles(label="y", features=("a",))), label="class", piece=10)
    text = [value for table in read_arrow(dataset, 0, 4, ["t"]) for value in table.column(0).to_pylist()]
    assert text == ["x\ny", 'a, "b"', "", "p\n\nq,\n"]


@pytest.mark.parametrize("piece", [1 << 20, 8])
@pytest.mark.parametrize("text", ["a,y\r1,0\n2,1\r3,1\r\n4,0", 'a,y\r1,"0"\n"2",1\r"3",1\r\n4,0\r'])
def test_a_return_alone_ends_a_row(put: Put, text: str, piece: int) -> None:
    dataset = scan(put("r.csv", text), label="class", piece=piece)
    rows = load(dataset, 0, dataset.rows)
    assert rows.y is not None
    assert (rows.X.tolist(), rows.y.tolist()) == ([[1], [2], [3], [4]], [0, 1, 1, 0])  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('x,t,label\n1,"a, b",0\n2.5,cc,1\n,"d\ne",\r,1\n,"d\ne",\r\n1\n1,c,0\n', r"s\.csv:5: 2 columns .* 3: ',1'"),
        ('x,t\n1,"a"\n2,"b"\n3,"c\rd"\n4,"e"f\rg\n5,"h"\n', r"s\.csv:5: 1 column .* 2: 'g'"),
    ],
)
@pytest.mark.parametrize("piece", [1 << 20, 16])
def test_a_row_of_too_few_columns_after_a_return_is_named(put: Put, text: str, where: str, piece: int) -> None:
    with pytest.raises(DataError, match=where):
        scan(put("s.csv", text), ReadOptions(quote="double"), label="any", piece=piece)


@pytest.mark.shared
@pytest.mark.skipif(not SPAM.exists(), reason="no data sets beside the checkout")
def test_all_rows_of_sms_spam() -> None:
    dataset = scan(str(SPAM), ReadOptions(roles=Roles(label=0, text=1)), label="class")
    y = load(dataset, 0, dataset.rows).y
    assert y is not None
    assert np.bincount(y.astype(int)).tolist() == [4827, 747]


FIELD = st.text(st.sampled_from('ab",\n '), max_size=6)


@given(st.lists(st.tuples(FIELD, FIELD, FIELD), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_what_a_writer_of_csv_quotes_is_never_in_doubt(rows: list[tuple[str, str, str]]) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([f + "x" for f in row] for row in rows)
    data = np.frombuffer(out.getvalue().encode(), np.uint8)
    place, loose, _ = doubt(data, 0, len(data), ord(","), 2)
    assert loose == 0
    if place >= 0:  # joined lines that each have two separators of their own
        begin = data[:place].tobytes().rfind(b"\n") + 1
        assert all(line.count(b",") == 2 for line in data[begin:].tobytes().split(b"\n")[:2])


def test_numbers_of_a_type_known_beforehand_are_what_each_block_tells(put: Put) -> None:
    """Blocks of whole numbers, of none, and with a plus sign, in columns that are numbers over all blocks."""
    parts = ["1,7", "2.5,", "+3.5,8", ",+9"]
    url = put("a.csv", "x,y\n" + "".join(f"{part}\n" * 300 for part in parts))
    dataset = scan(url, ReadOptions(missing="nan"), label=None, piece=256)
    found = load(dataset, 0, dataset.rows).X
    wanted = np.array([[1, 7], [2.5, np.nan], [3.5, 8], [np.nan, 9]], np.float32)
    assert isinstance(found, np.ndarray)
    assert np.array_equal(found, np.repeat(wanted, 300, axis=0), equal_nan=True)
