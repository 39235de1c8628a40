"""Numbers with decimal commas are told from words, and from separators."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hdfs_io import DataError, ReadOptions, Roles, describe, scan
from hdfs_io.comma import advice, has_comma

Put = Callable[[str, str | bytes], str]
POINTS = "numbers are written with a point, not a comma"
HOW = f"{POINTS}, as `sed 's/,/./g'` does in this file; correct them"


def test_what_has_one() -> None:
    assert all(map(has_comma, ("1,5", "-0,25", "+3,0", " 12,5 ")))
    assert not any(map(has_comma, ("1.5", "1,5,2", "a,5", "1,", ",5", "1, 5", "")))
    assert advice("t.csv:2: column 'a' holds '1,5'", ";") == HOW.removesuffix("correct them")
    assert advice("t.csv:2: column 'a' holds '1,5'", ",") == f"{POINTS}; "
    assert not advice("t.csv:2: column '1,5' holds 'x'", ";")


@pytest.mark.parametrize("header", ["a;b;y\n", ""])
def test_they_separate_no_columns_and_are_refused_with_what_to_do(put: Put, header: str) -> None:
    url = put("t.csv", header + "1,5;2,5;0\n2,5;3,5;1\n3,5;2;0\n" * 9)
    first = 1 + bool(header)
    for said in (ReadOptions(), ReadOptions(roles=Roles(features=(0, 1)))):
        with pytest.raises(DataError, match=rf"t\.csv:{first}: column .* holds '1,5': 27 values of this") as why:
            scan(url, said, label="class")
        assert HOW in str(why.value)
    text = describe(url)
    assert "separator ';'" in text
    assert text.count(HOW) == 2
    with pytest.raises(DataError, match=POINTS):
        scan(put("q.csv", 'a,y\n"1,5",0\n"2,5",1\n'), label="class")


def test_words_with_commas_are_words(put: Put) -> None:
    dataset = scan(put("t.csv", "a;y\n" + "x,5;0\ny,5;1\n" * 20), label="class")
    assert dataset.schema.columns[0].words == ("x,5", "y,5")
    assert scan(put("u.csv", "1;2,3;4\n1;2,x;4\n"), ReadOptions(header=False), label=None).options.sep == ";"
    assert scan(put("v.csv", "1,2;3,4\n5,6;x,8\n"), ReadOptions(header=False), label=None).options.sep == ","
