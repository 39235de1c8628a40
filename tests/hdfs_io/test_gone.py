"""A file that is gone after the scan, or that can't be read, is said with what to do."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hdfs_io import DataError, Dataset, ReadOptions, load, open_fs, open_writer, scan
from hdfs_io.store import may_read


@pytest.mark.parametrize("kind", ["csv", "libsvm", "parquet", "arrow"])
def test_a_file_that_is_gone(place: str, kind: str) -> None:
    url = f"{place}/a.{kind}"
    with open_writer(url, kind) as writer:
        writer.write({"label": pa.array([0, 1] * 9), "x": pa.array([1.5, 2.5] * 9)})
    dataset = Dataset.from_json(scan(url, ReadOptions(), label="class").to_json())
    fs, path = open_fs(url)
    fs.rm(path)
    with pytest.raises(
        DataError, match=rf"a\.{kind}: was there when the data set was listed, and is gone; start again"
    ):
        load(dataset, 0, dataset.rows)


def test_a_file_that_may_not_be_read() -> None:
    with pytest.raises(DataError, match=r"a\.csv: this user may not read it"), may_read("a.csv"):
        raise PermissionError
