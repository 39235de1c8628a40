"""Feet: one that is kept is of the file as it is now."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hdfs_io.formats import feet


def test_a_file_that_was_written_anew_has_another_foot(tmp_path: Path) -> None:
    path, kept = str(tmp_path / "a.parquet"), feet.Feet()
    for rows in (3, 5):
        pq.write_table(pa.table({"x": range(rows)}), path)
        os.utime(path, ns=(rows, rows))
        assert kept.foot(path) is None
        kept.keep(path, pq.read_metadata(path))
        found = kept.foot(path)
        assert found is not None
        assert found.num_rows == rows


def test_only_the_last_few_are_kept(tmp_path: Path) -> None:
    kept, paths = feet.Feet(), [str(tmp_path / f"{k}.parquet") for k in range(feet.FEET + 1)]
    for path in paths:
        pq.write_table(pa.table({"x": [1]}), path)
        kept.keep(path, pq.read_metadata(path))
    assert [kept.foot(path) is not None for path in paths] == [False] + [True] * feet.FEET
