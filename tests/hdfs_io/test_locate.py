"""Where a row is, is said with file and line, whatever was left out before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdfs_io import DataError, ReadOptions, Roles, load, scan
from hdfs_io.locate import locate

TEXTS = {
    "csv": ("a,b", "{0},1", "x,"),
    "libsvm": ("# a remark", "1 1:{0}", "1 x"),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_row_is_found_among_those_left_out(tmp_path: Path, kind: str) -> None:
    first, good, bad = TEXTS[kind]
    rows = [good.format(i) if i % 5 else bad for i in range(1, 60)]
    for name, lines in (("a", rows[:31]), ("b", rows[31:])):
        (tmp_path / f"{name}.{kind}").write_text("\n".join([first, *lines]) + "\n")
    data = scan(str(tmp_path), ReadOptions(format=kind, bad_rows="skip"), label=None)
    assert data.rows == 48
    places = [(name, at + 2) for name, lines in (("a", rows[:31]), ("b", rows[31:])) for at in range(len(lines))]
    kept = [place for place, row in zip(places, rows, strict=True) if row != bad]
    for number in (0, 4, 24, 25, 47):
        name, line = kept[number]
        assert locate(data, number, "is odd") == f"{tmp_path}/{name}.{kind}:{line}: is odd"
    with pytest.raises(IndexError, match="48 rows"):
        locate(data, 48, "isn't there")


@pytest.mark.parametrize(("said", "what"), [("", "is missing"), ("1.5", "holds 1.5: ids are whole numbers or words")])
def test_an_id_that_is_none_is_told_by_its_line(tmp_path: Path, said: str, what: str) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("user,item,rating\n1,a,3\n2,b,4\n\n" + f"{said},c,5\n")
    options = ReadOptions(roles=Roles(user="user", item="item", rating="rating"))
    data = scan(str(file), options, label="rating")
    with pytest.raises(DataError, match=rf"^{file}:5: user 'user' {what}"):
        load(data, 0, 3)
