"""What databases and pandas write for nothing is nothing, in numbers and in labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hdfs_io import DataError, ReadOptions, load, scan

Put = Callable[[str, str | bytes], str]


@pytest.mark.parametrize("nothing", ["", "NA", "\\N", "<NA>", "NaT", '"<NA>"'])
def test_nothing_is_no_number_and_no_class(put: Put, nothing: str) -> None:
    url = put("a.csv", f"x,y\n1.5,a\n{nothing},b\n2.5,a\n")
    rows = load(scan(url, ReadOptions(missing="zero"), label="class"), 0, 3)
    assert rows.X.tolist() == [[1.5], [0], [2.5]]  # type: ignore[union-attr]
    with pytest.raises(DataError, match=r"b\.csv:3: label.* missing"):
        scan(put("b.csv", f"x,y\n1.5,a\n2,{nothing}\n2.5,b\n"), label="class")
