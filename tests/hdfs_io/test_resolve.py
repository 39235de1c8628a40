"""Columns are said by name or number."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hdfs_io import DataError, Roles
from hdfs_io.resolve import resolve, resolve_roles

Put = Callable[[str, str | bytes], str]


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
