"""A Parquet foot that contradicts itself is refused; it doesn't end the process, as it does where Arrow is asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hdfs_io import scan
from hdfs_io.formats.chunks import chunks

PROGRAM = """
import sys
from hdfs_io import DataError, scan
for url in sys.argv[1:]:
    try:
        scan(url, label=None)
    except DataError as error:
        print(error)
"""
DOUBLE = b"\x15\x0a\x19"  # a chunk's type, then its encodings, in Thrift's compact form
LEVELS = b"\x19\x26\x00\x10"  # how many values have each level of definition: 0, 8


def test_what_contradicts_itself_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": np.arange(8.0), "y": np.arange(8.0)}), tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    assert scan(str(tmp_path / "a.parquet"), label=None).rows == 8
    urls = [str(tmp_path / f"{name}.parquet") for name in ("type", "levels")]
    for url, was, made in zip(urls, (DOUBLE, LEVELS), (b"\x15\x3e\x19", b"\x19\x16\x80\x10"), strict=True):
        assert was in data
        Path(url).write_bytes(data.replace(was, made))
    done = subprocess.run([sys.executable, "-c", PROGRAM, *urls], stdout=subprocess.PIPE, text=True, timeout=100)
    assert done.returncode == 0
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == urls
    assert done.stdout.count("not a whole Parquet file") == len(urls)


def test_only_columns_that_are_asked_for_and_have_statistics(tmp_path: Path) -> None:
    table = pa.table({"x": np.arange(8.0), "v": [[1.0]] * 8, "y": np.arange(8) * 2})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=4)
    pq.write_table(table, tmp_path / "b.parquet", write_statistics=False)
    with pq.ParquetFile(tmp_path / "a.parquet") as parquet:
        assert {name: (found.min, found.max) for name, found in chunks(parquet, "", 1, ["y", "x"])} == {
            "x": (4, 7),
            "y": (8, 14),
        }
        assert list(chunks(parquet, "", 1, [])) == []
    with pq.ParquetFile(tmp_path / "b.parquet") as parquet:
        assert list(chunks(parquet, "", 0, ["x"])) == []


def test_a_file_written_anew_is_told_by_its_own_names(tmp_path: Path) -> None:
    """Its foot is as long as the one before."""
    file = str(tmp_path / "a.parquet")
    for first, second in ("ab", "ba"):
        pq.write_table(pa.table({first: [1.0, 2.0], second: [3.0, None]}), file)
        with pq.ParquetFile(file) as parquet:
            found = {name: (each.min, each.null_count) for name, each in chunks(parquet, file, 0, ["a", "b"])}
        assert found == {first: (1, 0), second: (3, 1)}
