"""Quotes that backslashes escape, as Spark writes them: told by the first rows, read right, never wrong silently."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hdfs_io import DataError, ReadOptions, Roles, head, read_arrow, scan

Put = Callable[[str, str | bytes], str]
ROWS = (
    'i,t,y\n1,"say \\"hi\\" x",p\n2,"\\"",q\n3,"x\\", y",p\n4,"a\\\\,b",q\n5,a\\b,p\n6,"l\nm",q\n7,"",p\n8,"a\\nb,",q\n'
)
TEXTS = ['say "hi" x', '"', 'x", y', "a\\,b", "a\\b", "l\nm", "", "a\\nb,"]


def texts(url: str, options: ReadOptions, piece: int = 1 << 20) -> list[str]:
    dataset = scan(url, options, label=None, piece=piece)
    return [v for table in read_arrow(dataset, 0, dataset.rows, ["t"]) for v in table.column(0).to_pylist()]


@pytest.mark.parametrize("piece", [1 << 20, 8])
@pytest.mark.parametrize("sep", [",", "\t", ";"])
def test_what_spark_writes(put: Put, sep: str, piece: int) -> None:
    url = put("s.csv", ROWS.replace(",", sep))
    roles = Roles(features=("i",))
    for said in (None, "backslash"):
        assert texts(url, ReadOptions(roles=roles, quote=said), piece) == [v.replace(",", sep) for v in TEXTS]


def test_a_quote_that_is_escaped_in_the_first_rows_keeps_header_and_classes(put: Put) -> None:
    url = put("s.csv", 't,y\n"say \\"hi\\" x",p\n' + '"a, b","p"\nc,q\n' * 9)
    dataset = scan(url, label="class")
    assert (dataset.options.quote, dataset.options.header, dataset.rows) == ("backslash", True, 19)
    assert dataset.schema.label is not None
    assert dataset.schema.label.classes == ("p", "q")
    assert head(put("h.csv", '"a ""x""","b\\\\"\n1,2\n')).column_names == ['a "x"', "b\\\\"]
    assert head(put("h.csv", '"a \\"x\\"","b\\\\"\n1,2\n')).column_names == ['a "x"', "b\\"]


@pytest.mark.parametrize(
    "row", ['"say \\"hi\\" x",q\n', '"\\"hi\\"",q\n', '"x\\", y",p\n', '"b\\"",x\n', '"a\\", b\\"",p\n']
)
@pytest.mark.parametrize("piece", [1 << 20, 1 << 14])
def test_one_that_comes_late_is_refused_with_what_to_say(put: Put, row: str, piece: int) -> None:
    plain = '"go, on",p\nno,q\n' * 5000
    url = put("s.csv", "t,y\n" + plain + row + plain)
    with pytest.raises(DataError, match=r"s\.csv:10002: .* say --quote backslash"):
        scan(url, ReadOptions(roles=Roles(label="y")), label="class", piece=piece)
    assert scan(url, ReadOptions(quote="backslash"), label="class", piece=piece).rows == 20001


@pytest.mark.parametrize("piece", [1 << 20, 24])
def test_both_ways_in_one_file_are_refused_by_line(put: Put, piece: int) -> None:
    url = put("s.csv", 't,y\n"a \\"b\\"",p\n"c,\nd",q\n"e ""f""",q\n')
    with pytest.raises(DataError, match=r's\.csv:5: a quote within quotes is written "" here, and \\" elsewhere'):
        scan(url, label="class", piece=piece)


def test_backslashes_of_other_files_are_characters(put: Put) -> None:
    url = put("w.csv", 't,y\n"C:\\dir\\",p\n"a\\""b",q\nD:\\x\\,q\n"\\\\host, x",p\n')
    assert texts(url, ReadOptions(roles=Roles(features=("y",)))) == ["C:\\dir\\", 'a\\"b', "D:\\x\\", "\\\\host, x"]


def field(text: str) -> str:
    """As Spark writes it."""
    if any(c in text for c in '",\r\n') or text != text.strip() or not text:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text


FIELDS = st.text(st.sampled_from('ab",\\\n '), max_size=6)


@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=12), st.integers(1, 40), st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_text_is_read_back(tmp_path: Path, rows: list[tuple[str, str]], piece: int, escaped: bool) -> None:
    """By Spark's rules or by RFC 4180's: read as what was written, or refused where a quote joins lines."""
    out = io.StringIO()
    if escaped:
        out.write("".join(f"{field(a)},{field(b)},0\n" for a, b in rows))
    else:
        csv.writer(out, lineterminator="\n").writerows([*row, "0"] for row in rows)
    options = ReadOptions(header=False, sep=",", quote="backslash" if escaped else "double", words="drop")
    url = str(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text(out.getvalue())
    try:
        dataset = scan(url, options, label=None, piece=piece)
    except DataError as error:
        assert "--quote" in str(error)  # noqa: PT017 (rare, and fine)
        return
    found = [
        tuple(v or "" for v in r.values())[:2] for t in read_arrow(dataset, 0, dataset.rows) for r in t.to_pylist()
    ]
    assert found == rows
